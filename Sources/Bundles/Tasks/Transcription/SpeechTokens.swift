#if Everything
  /// The tokens with a meaning for a speech model.
  ///
  /// They are numbers, because published vocabularies often lack the tokens of times, or name that of silence otherwise.
  struct SpeechTokens: Sendable {
    /// The token at which a transcript begins, and the one after it.
    var start: Int32
    var end: Int32
    /// The token of a text without times, which the tokens of times follow.
    var withoutTimes: Int32
    /// The tokens of languages by their codes; empty for a model of one language.
    var languages: [String: Int32] = [:]
    /// The tokens after that of the language; `nil` for a model of one language.
    var transcribe: Int32?
    var translate: Int32?
    /// The tokens that a transcript never has, and those that it does not begin with.
    var suppressed: [Int32] = []
    var suppressedAtFirst: [Int32] = []
    /// The latest time at which the first segment of a window begins, in steps.
    var maxInitialTime = Int32(defaultMaxInitialTime)

    /// The latest first time of the original program.
    static let defaultMaxInitialTime = 50

    /// The length of a step of times, in seconds.
    static let secondsPerTime = 0.02

    /// The token of the time 0.
    var firstTime: Int32 { withoutTimes + 1 }
    /// The token whose probability at the start is that of silence.
    var silence: Int32 { withoutTimes - 1 }
    /// The token before the text of earlier windows.
    var previous: Int32 { withoutTimes - 2 }

    /// Whether a token is a time.
    func isTime(_ token: Int32) -> Bool { token >= firstTime }

    /// Returns the time of a token in seconds.
    func seconds(of token: Int32) -> Double { Double(token - firstTime) * Self.secondsPerTime }
  }
#endif
