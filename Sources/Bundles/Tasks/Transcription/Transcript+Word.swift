#if Everything
  extension Transcript {
    /// A word with its times.
    public struct Word: Sendable, Hashable {
      /// The word with the punctuation beside it, which usually begins with a space.
      public var text: String
      /// Where the word begins, in seconds.
      public var start: Double
      /// Where the word ends, in seconds.
      public var end: Double
      /// The mean probability of the word's tokens.
      public var probability: Double
    }
  }
#endif
