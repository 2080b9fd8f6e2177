#if Everything
  public import TensorIOAudio

  /// A text as sound.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "voice.tiobundle")
  /// let speech = try model.speak("Water boils at one hundred degrees.").result()
  /// try speech.audio.write(to: "water.wav")
  /// ```
  public struct Speech: Sendable, Hashable {
    /// A sentence with its sound.
    public struct Sentence: Sendable, Hashable {
      /// The text.
      public var text: String
      /// The phonemes that the voice speaks.
      public var phonemes: String
      /// Where the sentence begins in the sound of all sentences, in seconds.
      public var start: Double
      /// The samples of one channel.
      public var samples: [Float]
      /// The number of samples per second.
      public var sampleRate: Int

      /// The sound.
      ///
      /// - Throws: ``AudioError`` if the rate or the length is out of range.
      public var audio: AudioBuffer {
        get throws(AudioError) { try AudioBuffer(samples: samples, sampleRate: sampleRate) }
      }

      /// Where the sentence ends, in seconds.
      public var end: Double { start + Double(samples.count) / Double(sampleRate) }
    }

    /// The sentences, in order.
    public var sentences: [Sentence]
    /// The number of samples per second.
    public var sampleRate: Int
    /// Symbols of the phonemes that the voice does not have, which are left out.
    public var missingSymbols: [String]

    /// Creates the sound of sentences.
    public init(sentences: [Sentence], sampleRate: Int, missingSymbols: [String] = []) {
      (self.sentences, self.sampleRate) = (sentences, sampleRate)
      self.missingSymbols = missingSymbols
    }
  }

  extension Speech {
    /// The sound of all sentences, with silence between them.
    ///
    /// - Throws: ``AudioError`` if the rate or the length is out of range.
    public var audio: AudioBuffer {
      get throws(AudioError) { try AudioBuffer(samples: samples, sampleRate: sampleRate) }
    }

    /// The samples of all sentences, with silence between them.
    public var samples: [Float] {
      var samples: [Float] = []
      samples.reserveCapacity(frameCount)
      for sentence in sentences {
        let start = Int((sentence.start * Double(sampleRate)).rounded())
        samples += Array(repeating: 0, count: max(0, start - samples.count))
        samples += sentence.samples
      }
      return samples
    }

    /// The length of the sound, in seconds.
    public var duration: Double { sentences.last?.end ?? 0 }

    private var frameCount: Int { Int((duration * Double(sampleRate)).rounded()) }
  }
#endif
