/// The tokens that can be chosen, in order of ids, with their scores and weights.
///
/// Each filter removes tokens and leaves at least one.
struct TokenCandidates: Sendable {
  private(set) var ids: [Int32] = []
  private(set) var scores: [Double] = []
  /// exp(score − highest score).
  private var weights: [Double] = []
  private var distances: [Double] = []
  /// The score whose weight is 1.
  private var reference = 0.0

  /// Whether there is no token.
  var isEmpty: Bool { ids.isEmpty }

  /// The sum of the weights, in order of ids.
  var total: Double {
    var total = 0.0
    for weight in weights { total += weight }
    return total
  }

  /// Takes the tokens whose scores are finite and reach a threshold, and the adjusted ones.
  mutating func fill(
    _ row: Span<Float>, above threshold: Float, maxima: [Float], _ adjustments: ScoreAdjustments?
  ) {
    ids.removeAll(keepingCapacity: true)
    scores.removeAll(keepingCapacity: true)
    weights.removeAll(keepingCapacity: true)
    if threshold == -.infinity {
      ScoreRow.widen(row, to: &scores)
      ids.append(contentsOf: 0..<Int32(truncatingIfNeeded: row.count))
      if scores.contains(-.infinity) { keep { _, score, _ in score > -.infinity } }
      if let adjustments { merge(adjustments) }
      return
    }
    for (block, maximum) in maxima.enumerated() where maximum >= threshold {
      let start = block * ScoreRow.blockLength
      for index in start..<min(start + ScoreRow.blockLength, row.count) {
        let score = row[index]
        guard score >= threshold else { continue }
        ids.append(Int32(truncatingIfNeeded: index))
        scores.append(Double(score))
      }
    }
    if let adjustments { merge(adjustments) }
  }

  /// Inserts adjusted tokens, which are in order of ids and none of which is present.
  private mutating func merge(_ adjustments: ScoreAdjustments) {
    var present = ids.count - 1
    for score in adjustments.scores where score > -.infinity {
      ids.append(0)
      scores.append(0)
    }
    var end = ids.count - 1
    for (id, score) in zip(adjustments.ids, adjustments.scores).reversed() where score > -.infinity
    {
      while present >= 0, ids[present] > id {
        (ids[end], scores[end]) = (ids[present], scores[present])
        present -= 1
        end -= 1
      }
      (ids[end], scores[end]) = (id, score)
      end -= 1
    }
  }

  /// Divides the scores by the temperature.
  mutating func divide(by temperature: Double) {
    guard temperature != 1 else { return }
    for index in scores.indices { scores[index] /= temperature }
  }

  /// Computes the weights from the scores.
  mutating func weigh() {
    reference = scores.max() ?? 0
    weights.removeAll(keepingCapacity: true)
    weights.append(contentsOf: scores)
    Exponential.replace(&weights, minus: reference)
  }

  /// Removes the tokens for which a condition is false.
  private mutating func keep(
    where isKept: (_ index: Int, _ score: Double, _ weight: Double) -> Bool
  ) {
    var count = 0
    for index in ids.indices
    where isKept(index, scores[index], weights.isEmpty ? 0 : weights[index]) {
      ids[count] = ids[index]
      scores[count] = scores[index]
      if !weights.isEmpty { weights[count] = weights[index] }
      count += 1
    }
    let removed = ids.count - count
    ids.removeLast(removed)
    scores.removeLast(removed)
    if !weights.isEmpty { weights.removeLast(removed) }
  }

  /// The position of the highest score, the lowest id among equals.
  private var best: Int {
    var best = 0
    for index in scores.indices where scores[index] > scores[best] { best = index }
    return best
  }
}

// Filters.
extension TokenCandidates {
  /// Keeps the tokens with the highest scores, and those that equal the last of them; needs no weights.
  mutating func keepHighest(_ count: Int, _ selection: inout ScoreSelection) {
    guard count < ids.count else { return }
    let boundary = selection.boundary(
      of: scores, weights: nil, mass: Double(ids.count - count))
    keep { _, score, _ in ScoreSelection.key(of: score) >= boundary.key }
  }

  /// Removes the least probable tokens whose probabilities add up to at most 1 − p.
  mutating func keepMostProbable(_ p: Double, _ selection: inout ScoreSelection) {
    let mass = (1 - p) * total
    let boundary = selection.boundary(of: scores, weights: weights, mass: mass)
    // Of equal scores, those of the highest ids are removed first.
    var sum = boundary.massBelow
    var firstRemoved = ids.count
    let best = best
    for index in ids.indices.reversed()
    where index != best && ScoreSelection.key(of: scores[index]) == boundary.key {
      sum += weights[index]
      guard sum <= mass else { break }
      firstRemoved = index
    }
    keep { index, score, _ in
      let key = ScoreSelection.key(of: score)
      return key > boundary.key || key == boundary.key && index < firstRemoved || index == best
    }
  }

  /// Removes the tokens whose probability is below a part of the highest one.
  mutating func keep(fromPartOfHighest part: Double) {
    let best = best
    let least = part * weights[best]
    keep { index, _, weight in weight >= least || index == best }
  }

  /// Keeps the tokens whose information is nearest to the entropy, until their probabilities reach a mass.
  mutating func keepTypical(_ mass: Double, _ selection: inout ScoreSelection) {
    let total = total
    let entropy = entropy(total)
    let logTotal = Exponential.log(total)
    distances.removeAll(keepingCapacity: true)
    for score in scores { distances.append((logTotal - (score - reference) - entropy).magnitude) }
    let boundary = selection.boundary(
      of: distances, weights: weights, mass: mass * total, reaches: true)
    let distances = distances
    keep { index, _, _ in ScoreSelection.key(of: distances[index]) <= boundary.key }
    // The highest score may be among those removed.
    weigh()
  }

  /// Removes the tokens whose probability is below a limit.
  mutating func keep(fromProbability limit: Double) {
    let (best, least) = (best, limit * total)
    keep { index, _, weight in weight >= least || index == best }
  }

  /// Removes the tokens whose probability is below a limit that is lower where the entropy is high.
  mutating func keep(aboveEta epsilon: Double) {
    let limit = epsilon.squareRoot() * Exponential.exp(-entropy(total))
    keep(fromProbability: min(epsilon, limit))
  }

  /// Returns the entropy of the probabilities.
  private func entropy(_ total: Double) -> Double {
    var sum = 0.0
    for (score, weight) in zip(scores, weights) { sum += weight * (score - reference) }
    return Exponential.log(total) - sum / total
  }
}

extension TokenCandidates {
  /// Returns the first token at which the running sum of the weights exceeds a part of their total.
  func draw(_ unit: Double) -> Int32 {
    let limit = unit * total
    var sum = 0.0
    var last = ids[0]
    for (id, weight) in zip(ids, weights) where weight > 0 {
      sum += weight
      last = id
      if sum > limit { break }
    }
    return last
  }
}
