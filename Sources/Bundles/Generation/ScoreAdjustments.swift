/// The scores of the tokens that biases, penalties and bans change.
struct ScoreAdjustments: Sendable {
  /// The tokens, in order of ids once ``apply(_:to:prompt:output:endTokens:)`` has returned.
  private(set) var ids: [Int32] = []
  private(set) var scores: [Double] = []
  /// One more than the position of each token in `ids`, or 0.
  private var positions: [Int32] = []
  private var counts: [Int32] = []
  private let tokenCount: Int

  /// Creates adjustments for a number of tokens.
  init(tokenCount: Int) { self.tokenCount = tokenCount }

  /// Whether no score changes.
  var isEmpty: Bool { ids.isEmpty }

  /// Applies settings in the order of `transformers`.
  mutating func apply(
    _ options: SamplingOptions, to row: Span<Float>, prompt: [Int32], output: [Int32],
    endTokens: [Int32]
  ) {
    for id in ids { positions[Int(id)] = 0 }
    ids.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    for (id, bias) in options.biases { change(id, row) { $0 + bias } }
    if options.repetitionPenalty != 1 {
      penalize(options.repetitionPenalty, row, prompt, output)
    }
    if options.frequencyPenalty != 0 || options.presencePenalty != 0 {
      penalize(options.frequencyPenalty, options.presencePenalty, row, output)
    }
    if options.noRepeatNGramSize > 0 {
      banRepetitions(options.noRepeatNGramSize, row, prompt, output)
    }
    if output.count < options.minNewTokens { for id in endTokens { ban(id, row) } }
    for id in options.bannedTokens { ban(id, row) }
    sort()
  }

  /// Removes the tokens for which a condition is false.
  mutating func keep(where isKept: (Int32) -> Bool) {
    var count = 0
    for index in ids.indices {
      guard isKept(ids[index]) else {
        positions[Int(ids[index])] = 0
        continue
      }
      (ids[count], scores[count]) = (ids[index], scores[index])
      count += 1
    }
    scores.removeLast(ids.count - count)
    ids.removeLast(ids.count - count)
  }

  /// Sets the score of a token to a function of its present one; other tokens than those of the row are ignored.
  private mutating func change(
    _ id: Int32, _ row: Span<Float>, _ function: (Double) -> Double
  ) {
    guard let position = position(of: id, row) else { return }
    scores[position] = function(scores[position])
  }

  private mutating func ban(_ id: Int32, _ row: Span<Float>) {
    change(id, row) { _ in -.infinity }
  }

  /// Returns the position of a token, which is added if it is new.
  private mutating func position(of id: Int32, _ row: Span<Float>) -> Int? {
    guard id >= 0, id < tokenCount else { return nil }
    if positions.isEmpty {
      positions = [Int32](repeating: 0, count: tokenCount)
      counts = [Int32](repeating: 0, count: tokenCount)
    }
    if positions[Int(id)] == 0 {
      ids.append(id)
      scores.append(Double(row[Int(id)]))
      positions[Int(id)] = Int32(truncatingIfNeeded: ids.count)
    }
    return Int(positions[Int(id)]) - 1
  }

  /// Applies the repetition penalty once to each token of the prompt and the output.
  private mutating func penalize(
    _ penalty: Double, _ row: Span<Float>, _ prompt: [Int32], _ output: [Int32]
  ) {
    forEachDistinct(prompt, output) { adjustments, id, _ in
      adjustments.change(id, row) { $0 < 0 ? $0 * penalty : $0 / penalty }
    }
  }

  /// Applies the penalties of OpenAI's interface to the tokens of the output.
  private mutating func penalize(
    _ frequency: Double, _ presence: Double, _ row: Span<Float>, _ output: [Int32]
  ) {
    forEachDistinct([], output) { adjustments, id, count in
      adjustments.change(id, row) { $0 - (frequency * Double(count) + presence) }
    }
  }

  /// Calls a closure for each token with the number of its occurrences.
  private mutating func forEachDistinct(
    _ prompt: [Int32], _ output: [Int32],
    _ body: (inout ScoreAdjustments, Int32, Int32) -> Void
  ) {
    if counts.isEmpty {
      positions = [Int32](repeating: 0, count: tokenCount)
      counts = [Int32](repeating: 0, count: tokenCount)
    }
    for tokens in [prompt, output] {
      for id in tokens where id >= 0 && id < tokenCount { counts[Int(id)] += 1 }
    }
    for tokens in [prompt, output] {
      for id in tokens where id >= 0 && id < tokenCount && counts[Int(id)] > 0 {
        let count = counts[Int(id)]
        counts[Int(id)] = 0
        body(&self, id, count)
      }
    }
  }

  /// Bans each token that followed an earlier occurrence of the last tokens.
  private mutating func banRepetitions(
    _ size: Int, _ row: Span<Float>, _ prompt: [Int32], _ output: [Int32]
  ) {
    let count = prompt.count + output.count
    guard count + 1 >= size else { return }
    func token(_ index: Int) -> Int32 {
      index < prompt.count ? prompt[index] : output[index - prompt.count]
    }
    let end = count + 1 - size
    for start in 0..<max(0, end) {
      var length = 0
      while length < size - 1, token(start + length) == token(end + length) { length += 1 }
      if length == size - 1 { ban(token(start + length), row) }
    }
  }

  private mutating func sort() {
    guard ids.count > 1 else { return }
    let order = ids.indices.sorted { ids[$0] < ids[$1] }
    ids = order.map { ids[$0] }
    scores = order.map { scores[$0] }
  }
}
