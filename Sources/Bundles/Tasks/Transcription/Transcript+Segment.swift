#if Everything
  extension Transcript {
    /// A section of a recording with its text.
    public struct Segment: Sendable, Hashable {
      /// Where the section begins, in seconds.
      public var start: Double
      /// Where the section ends, in seconds.
      public var end: Double
      /// The text, which usually begins with a space.
      public var text: String
      /// The words with their times; empty unless they were requested.
      public var words: [Word] = []
      /// The tokens of the text and of its times.
      public var tokens: [Int32] = []
      /// The mean of the logarithms of the probabilities of the window's tokens.
      public var averageLogProbability: Double
      /// The probability that the window has no speech.
      public var silenceProbability: Double
      /// The length of the window's text divided by its length after compression; repetitions make it large.
      public var compressionRatio: Double
      /// The temperature at which the tokens were chosen.
      public var temperature: Double
      /// Where the window begins, in frames of the spectrogram.
      public var seek: Int
      /// The name of the speaker; `nil` unless speakers were labeled.
      public var speaker: String?
    }
  }
#endif
