package import TensorIOSystem

/// A copy of the scores of a step, from which tokens can be excluded before one is chosen.
///
/// A model whose rules depend on the tokens so far, such as a speech model whose times do not decrease, excludes all that
/// break a rule. ``Sampler`` has the rules of texts.
package struct TokenScores: Sendable {
  private var row: [Float] = []
  private var weights: [Double] = []

  /// Creates scores without a step.
  package init() {}

  /// The number of tokens.
  package var count: Int { row.count }

  /// Copies the scores of a step.
  ///
  /// - Throws: ``SamplingError`` if a score is NaN or infinity.
  package mutating func replace(with scores: Span<Float>) throws(SamplingError) {
    var maxima: [Float] = []
    guard ScoreRow.writeMaxima(of: scores, to: &maxima) else { throw Sampler.invalidScore(scores) }
    ScoreRow.copy(scores, to: &row)
  }

  /// Excludes tokens; those without a score are ignored.
  package mutating func exclude(_ tokens: [Int32]) {
    for token in tokens where row.indices ~= Int(token) { row[Int(token)] = -.infinity }
  }

  /// Excludes a range of tokens; those without a score are ignored.
  package mutating func exclude(_ tokens: Range<Int32>) {
    for token in Int(tokens.lowerBound)..<Int(tokens.upperBound) where row.indices ~= token {
      row[token] = -.infinity
    }
  }

  /// Returns the highest score of a range of tokens.
  package func maximum(of tokens: Range<Int32>) -> Float {
    row[clamped(tokens)].max() ?? -.infinity
  }

  /// Returns the logarithm of the sum of the exponentials of the scores of some tokens.
  package mutating func logSum(of tokens: Range<Int32>) -> Double {
    let maximum = Double(maximum(of: tokens))
    guard maximum > -.infinity else { return -.infinity }
    weigh(tokens, 1, maximum)
    return maximum + Exponential.log(weights.reduce(0, +))
  }

  /// Returns the logarithm of the sum of the exponentials of all scores.
  package mutating func logSum() -> Double { logSum(of: 0..<Int32(row.count)) }

  /// The score of a token.
  package subscript(token: Int32) -> Float {
    row.indices ~= Int(token) ? row[Int(token)] : -.infinity
  }

  /// Returns the token with the highest score, the lowest id among equals; `nil` if all are excluded.
  package var best: Int32? {
    var best = (id: Int32(0), score: -Float.infinity)
    for (index, score) in row.enumerated() where score > best.score {
      best = (Int32(truncatingIfNeeded: index), score)
    }
    return best.score > -.infinity ? best.id : nil
  }

  /// Returns the tokens with the highest scores and the logarithms of their probabilities, highest first, the lowest id first
  /// among equals; none if all are excluded.
  package mutating func mostProbable(_ count: Int) -> [(id: Int32, logProbability: Double)] {
    var best: [(id: Int32, score: Float)] = []
    for (index, score) in row.enumerated()
    where score > (best.count < count ? -.infinity : best[count - 1].score) {
      let position = best.firstIndex { $0.score < score } ?? best.count
      best.insert((Int32(truncatingIfNeeded: index), score), at: position)
      if best.count > count { best.removeLast() }
    }
    let total = logSum()
    return best.map { ($0.id, Double($0.score) - total) }
  }

  /// Returns a token that is drawn with the probabilities of scores that are divided by a temperature; `nil` if all are
  /// excluded.
  package mutating func draw(
    temperature: Double, _ random: inout SplitMix64
  ) -> Int32? {
    let tokens = 0..<Int32(row.count)
    let maximum = Double(maximum(of: tokens))
    guard maximum > -.infinity else { return nil }
    weigh(tokens, temperature, maximum / temperature)
    let limit = random.nextUnit() * weights.reduce(0, +)
    var sum = 0.0
    for (index, weight) in weights.enumerated() {
      sum += weight
      if sum > limit { return Int32(truncatingIfNeeded: index) }
    }
    return best
  }

  /// Sets the weights to the exponentials of the scores of some tokens.
  private mutating func weigh(
    _ tokens: Range<Int32>, _ temperature: Double, _ shift: Double
  ) {
    var numbers: [Double] = []
    swap(&numbers, &weights)
    numbers.removeAll(keepingCapacity: true)
    ScoreRow.widen(row.span.extracting(clamped(tokens)), to: &numbers)
    if temperature != 1 { for index in numbers.indices { numbers[index] /= temperature } }
    Exponential.replace(&numbers, minus: shift)
    swap(&numbers, &weights)
  }

  private func clamped(_ tokens: Range<Int32>) -> Range<Int> {
    (Int(tokens.lowerBound)..<Int(tokens.upperBound)).clamped(to: 0..<row.count)
  }
}
