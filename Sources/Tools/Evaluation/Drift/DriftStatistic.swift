import TensorIOSystem

/// Measures of how much two samples of a number, or of vectors, differ.
enum DriftStatistic {
  /// The number of bins of a reference.
  static let binCount = 10
  /// The smallest fraction that a bin counts as, so that one empty bin does not decide.
  static let minFraction = 1e-4
  /// The number of random divisions from which the probability of a distance of vectors follows.
  static let permutationCount = 200
  /// The seed of all random choices.
  static let seed: UInt64 = 50
  /// The number of terms of the series of the Kolmogorov-Smirnov distribution.
  private static let termCount = 100
  /// The 0.95 quantile of the normal distribution.
  private static let quantile = 1.644_853_626_951_472_2

  /// Returns the inner edges of bins that have equally many values each; equal edges are merged.
  ///
  /// If the largest value is an edge, as in a column that is constant, an edge just above it separates larger values.
  ///
  /// - Parameters:
  ///   - values: The finite values of a reference.
  ///   - bins: The number of bins.
  /// - Returns: The edges in ascending order; none without values.
  static func innerEdges(of values: [Double], bins: Int = binCount) -> [Double] {
    let sorted = values.sorted()
    guard let largest = sorted.last, bins > 1 else { return [] }
    var edges: [Double] = []
    for index in 1..<bins {
      let edge = sorted.quantile(Double(index) / Double(bins))
      if edge != edges.last { edges.append(edge) }
    }
    if edges.last == largest, largest.nextUp.isFinite { edges.append(largest.nextUp) }
    return edges
  }

  /// Returns the index of the bin of a value; a value on an edge belongs to the bin on its right.
  static func bin(of value: Double, _ edges: [Double]) -> Int {
    var (low, high) = (0, edges.count)
    while low < high {
      let middle = (low + high) / 2
      if edges[middle] <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of values in each bin.
  static func counts(of values: [Double], _ edges: [Double]) -> [Int] {
    var counts = [Int](repeating: 0, count: edges.count + 1)
    for value in values where value.isFinite { counts[bin(of: value, edges)] += 1 }
    return counts
  }

  /// Returns the population stability index of two histograms with the same bins; 0 if one is empty.
  static func populationStability(_ reference: [Int], _ current: [Int]) -> Double {
    let (first, second) = (Double(reference.reduce(0, +)), Double(current.reduce(0, +)))
    guard first > 0, second > 0 else { return 0 }
    return zip(reference, current).reduce(0) { sum, counts in
      let p = max(Double(counts.0) / first, minFraction)
      let q = max(Double(counts.1) / second, minFraction)
      return sum + (q - p) * log(q / p)
    }
  }

  /// Returns the index that chance exceeds once in 20 samples of the same distribution.
  ///
  /// For many items, the index is distributed as a multiple of chi-squared. For few items, empty bins make it larger, so
  /// it is also simulated.
  ///
  /// - Parameters:
  ///   - reference: The histogram of the reference.
  ///   - count: The number of current items.
  ///   - simulates: Whether few items are simulated, which takes time for each.
  /// - Returns: The index; infinity if a histogram is empty.
  static func stabilityOfChance(
    _ reference: [Int], count: Int, simulating simulates: Bool = true
  ) -> Double {
    let total = reference.reduce(0, +)
    let used = reference.count { $0 > 0 }
    guard total > 0, count > 0 else { return .infinity }
    guard used > 1 else { return 0 }
    let freedom = Double(used - 1)
    // The cube root of chi-squared is nearly normal (Wilson and Hilferty).
    let part = 2 / (9 * freedom)
    let root = 1 - part + quantile * part.squareRoot()
    let expected = freedom * root * root * root * (1 / Double(total) + 1 / Double(count))
    guard simulates, count <= maxSimulatedItems else { return expected }
    return max(expected, simulatedStability(reference, total: total, count: count))
  }

  /// The maximum number of items for which chance is simulated.
  private static let maxSimulatedItems = 1000

  private static func simulatedStability(_ reference: [Int], total: Int, count: Int) -> Double {
    var cumulative: [Double] = []
    for part in reference { cumulative.append((cumulative.last ?? 0) + Double(part)) }
    let indices = (0..<permutationCount).map { stream in
      var random = SplitMix64(seed: seed, stream: UInt64(stream))
      var counts = [Int](repeating: 0, count: reference.count)
      for _ in 0..<count {
        counts[min(bin(of: random.nextUnit() * Double(total), cumulative), counts.count - 1)] += 1
      }
      return populationStability(reference, counts)
    }
    return indices.sorted().quantile(0.95)
  }

  /// Returns the largest difference of the distribution functions of two samples, and its probability if there is no
  /// difference; `nil` if a sample is empty.
  static func kolmogorovSmirnov(
    _ first: [Double], _ second: [Double]
  ) -> (distance: Double, probability: Double)? {
    guard !first.isEmpty, !second.isEmpty else { return nil }
    let (a, b) = (first.sorted(), second.sorted())
    var (i, j, distance) = (0, 0, 0.0)
    while i < a.count, j < b.count {
      let value = min(a[i], b[j])
      while i < a.count, a[i] == value { i += 1 }
      while j < b.count, b[j] == value { j += 1 }
      distance = max(distance, abs(Double(i) / Double(a.count) - Double(j) / Double(b.count)))
    }
    return (distance, probability(ofDistance: distance, a.count, b.count))
  }

  /// Returns a lower bound of the largest difference of the distribution functions, from histograms with the same bins,
  /// and the probability that belongs to it; `nil` if a histogram is empty.
  static func kolmogorovSmirnov(
    counts first: [Int], _ second: [Int]
  ) -> (distance: Double, probability: Double)? {
    let (n, m) = (first.reduce(0, +), second.reduce(0, +))
    guard n > 0, m > 0 else { return nil }
    var (a, b, distance) = (0, 0, 0.0)
    for (left, right) in zip(first, second) {
      a += left
      b += right
      distance = max(distance, abs(Double(a) / Double(n) - Double(b) / Double(m)))
    }
    return (distance, probability(ofDistance: distance, n, m))
  }

  /// Returns the asymptotic probability of a distance at least as large, with Stephens' correction.
  private static func probability(ofDistance distance: Double, _ n: Int, _ m: Int) -> Double {
    let count = Double(n) * Double(m) / (Double(n) + Double(m))
    let root = count.squareRoot()
    let t = (root + 0.12 + 0.11 / root) * distance
    // The series converges slowly for small arguments, whose probability is 1.
    guard t > 0.04 else { return 1 }
    var (sum, sign) = (0.0, 1.0)
    for k in 1...termCount {
      let product = Double(k) * t
      sum += sign * exp(-2 * product * product)
      sign = -sign
    }
    return min(1, max(0, 2 * sum))
  }
}
