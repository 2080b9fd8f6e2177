/// A text that a model has written.
public struct GeneratedText: Sendable, Hashable {
  /// Why a text ends.
  public enum End: String, Sendable, Hashable, CaseIterable {
    /// The model ended it, or a stop string was found.
    case stop
    /// It has the maximum number of tokens, or the model's context is full.
    case length
    /// It was canceled, or the model failed; the text so far is kept.
    case cancelled
  }

  /// The text.
  public var text: String
  /// Why it ends.
  public var end: End
  /// The tokens of the text, without the one that ended it.
  public var tokens: [Int32]
  /// The number of tokens of the prompt.
  public var promptTokenCount: Int
  /// The number of tokens of the prompt that were in the caches already.
  public var reusedTokenCount: Int
  /// The time until the first token was chosen.
  public var promptDuration: Duration
  /// The time from the first token to the last one.
  public var duration: Duration

  /// The number of tokens per second after the first one; `nil` for fewer than two.
  public var tokensPerSecond: Double? {
    let seconds = duration / .seconds(1)
    return tokens.count > 1 && seconds > 0 ? Double(tokens.count - 1) / seconds : nil
  }
}
