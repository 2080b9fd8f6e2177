#if Everything
  import TensorIOAudio
  import TensorIOBundle
  import TensorIOCore

  /// Assigns the segments of a transcript to speakers by the vectors of their voices.
  struct SpeakerLabeler: Sendable {
    /// The rate of the sound that the model of voices takes.
    let sampleRate: Int
    private let model: Model
    private let read: ResultReading.Function<Embedding>
    private let options: SpeakerOptions
    private let matcher: GalleryMatcher?
    /// The samples of known voices with their names.
    private let recordings: [(name: String, samples: [Float])]
    /// The number of samples of a window.
    private let length: Int
    private var vectors: [Embedding] = []
    /// Whether each segment is as long as a window.
    private var isLong: [Bool] = []

    /// Prepares the labels of a transcript.
    ///
    /// - Throws: A ``ModelError`` if the model makes no vectors of sound, or an option is out of range.
    init(_ model: Model, _ options: SpeakerOptions) throws(ModelError) {
      guard (-1...1).contains(options.minSimilarity) else {
        throw ModelError(.input, .failed("the similarity of speakers is a number from -1 to 1"))
      }
      guard model.callerInputs.count == 1, case .audio(let layer)? = model.callerInputs.first?.kind
      else {
        throw ModelError(
          .bundle,
          .unmetRequirement("speakers require a model whose only input is of the type 'audio'"),
          file: model.bundle.path)
      }
      (self.model, self.options) = (model, options)
      sampleRate = layer.sampleRate
      length = layer.shape.elementCount == nil ? 1 : layer.sampleCount(filling: layer.shape)
      read = try ResultReader(model, .identities).embeddings().read
      recordings = try options.recordings.sorted { $0.key < $1.key }.map {
        [sampleRate] (name, sound) throws(ModelError) in
        let samples = try LayerValue.audio(sound).speech(atRate: sampleRate) ?? []
        guard !samples.isEmpty, samples.allSatisfy(\.isFinite) else {
          throw ModelError(
            .input,
            .failed("the recording of '\(name)' has no samples, or samples that are no numbers"))
        }
        return (name, samples)
      }
      if let gallery = options.gallery {
        matcher = GalleryMatcher(model.embeddingOptions) { gallery }
      } else {
        matcher = model.info.attached(GalleryMatcher.self)
      }
    }

    /// Computes the vector of the next segment.
    ///
    /// - Parameters:
    ///   - segment: The segment.
    ///   - samples: The sound in which the segment has its times.
    ///   - rate: The rate of the sound.
    /// - Throws: A ``ModelError`` if the model fails.
    mutating func add(
      _ segment: Transcript.Segment, of samples: [Float], atRate rate: Int
    ) throws(ModelError) {
      let start = min(samples.count, max(0, Int(segment.start * Double(rate))))
      let end = min(samples.count, max(start, Int(segment.end * Double(rate))))
      let part = Array(samples[start..<end])
      guard rate != sampleRate, !part.isEmpty else { return try add(part) }
      let sound: AudioBuffer
      do throws(AudioError) {
        sound = try AudioBuffer(samples: part, sampleRate: rate)
      } catch {
        throw ModelError(.input, .audio(error))
      }
      try add(LayerValue.audio(sound).speech(atRate: sampleRate) ?? [])
    }

    /// Computes the vector of the next segment, which has these samples.
    private mutating func add(_ segment: [Float]) throws(ModelError) {
      vectors.append(try vector(of: segment))
      isLong.append(segment.count >= length)
    }

    private func vector(of samples: [Float]) throws(ModelError) -> Embedding {
      let padding = [Float](repeating: 0, count: max(0, length - samples.count))
      return try read(try model.run(.value(.numbers(Numbers(.floats(samples + padding))))))
    }

    /// Returns a transcript of the segments that were added with their speakers.
    ///
    /// - Throws: A ``ModelError`` if the gallery cannot be read, or the model fails.
    func labeled(_ transcript: Transcript) throws(ModelError) -> Transcript {
      guard !recordings.isEmpty else {
        return try transcript.labeled(vectors, isLong, options, matcher)
      }
      var entries: [GalleryEntry] = []
      for (name, samples) in recordings {
        entries.append(GalleryEntry(name: name, embedding: try vector(of: samples)))
      }
      let others = matcher ?? GalleryMatcher(model.embeddingOptions) { InMemoryGallery() }
      return try transcript.labeled(vectors, isLong, options, others.adding(entries))
    }
  }
#endif
