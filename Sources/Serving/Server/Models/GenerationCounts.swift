import TensorIOGeneration

/// The texts that a language model has generated.
struct GenerationCounts: Sendable {
  /// Why texts ended, with the reasons that metrics list.
  static let reasons = ["stop", "length", "abort"]
  /// The upper bounds of numbers of tokens.
  private static let tokenBounds: [Double] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000,
  ]

  /// The times of a text, from the arrival of its request on.
  struct Times: Sendable {
    /// The time that it waited for a thread and for a sequence.
    var queue = Duration.zero
    /// The time until its first token; `nil` if there is none.
    var firstToken: Duration?
    var total = Duration.zero
  }

  private(set) var endings: [String: Int] = [:]
  private(set) var promptTokens = Histogram(tokenBounds)
  private(set) var generatedTokens = Histogram(tokenBounds)
  /// The tokens of prompts that were in caches already.
  private(set) var reusedTokenCount = 0
  private(set) var queue = Histogram.ofLongDurations
  private(set) var firstToken = Histogram.ofLongDurations
  private(set) var prefill = Histogram.ofLongDurations
  private(set) var decode = Histogram.ofLongDurations
  private(set) var total = Histogram.ofLongDurations
  /// The mean time of a token after the first one, for each text.
  private(set) var perToken = Histogram.ofDurations

  /// Adds a text that has ended.
  mutating func add(_ text: GeneratedText, _ times: Times) {
    endings[text.end == .cancelled ? "abort" : text.end.rawValue, default: 0] += 1
    promptTokens.add(Double(text.promptTokenCount))
    generatedTokens.add(Double(text.tokens.count))
    reusedTokenCount += text.reusedTokenCount
    queue.add(times.queue)
    total.add(times.total)
    guard let first = times.firstToken else { return }
    firstToken.add(first)
    prefill.add(text.promptDuration)
    decode.add(text.duration)
    if let rate = text.tokensPerSecond { perToken.add(1 / rate, count: text.tokens.count - 1) }
  }
}
