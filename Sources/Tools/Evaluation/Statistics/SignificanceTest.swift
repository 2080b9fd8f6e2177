import TensorIOSystem

/// The probabilities of differences at least as large as observed, if there is none.
enum SignificanceTest {
  /// The probability below which a difference counts as real.
  static let level = 0.05

  /// Returns the exact test of McNemar for two models on the same items.
  ///
  /// Items that both models get right or wrong do not count.
  ///
  /// - Parameters:
  ///   - first: The number of items that only the first model gets right.
  ///   - second: The number of items that only the second model gets right.
  /// - Returns: The two-sided probability.
  static func mcNemar(_ first: Int, _ second: Int) -> Double {
    let (count, fewer) = (first + second, min(first, second))
    guard count > 0, first != second else { return 1 }
    // The terms of the binomial distribution up to the smaller number, relative to the last one.
    var (sum, term) = (0.0, 1.0)
    for index in stride(from: fewer, through: 0, by: -1) {
      sum += term
      term *= Double(index) / Double(count - index + 1)
    }
    var logarithm = -Double(count) * log(2.0)
    for index in 0..<fewer { logarithm += log(Double(count - index) / Double(index + 1)) }
    return min(1, 2 * sum * exp(logarithm))
  }

  /// Returns the exact test of Fisher for two proportions of independent items.
  ///
  /// - Parameters:
  ///   - first: The number of successes and of items of a group.
  ///   - second: The number of successes and of items of the other group.
  /// - Returns: The two-sided probability.
  static func fisher(
    _ first: (successes: Int, count: Int), _ second: (successes: Int, count: Int)
  ) -> Double {
    let (total, successes) = (first.count + second.count, first.successes + second.successes)
    let possible = max(0, successes - second.count)...min(successes, first.count)
    guard possible.count > 1 else { return 1 }
    let constant = logBinomial(total, successes)
    func probability(_ number: Int) -> Double {
      exp(
        logBinomial(first.count, number) + logBinomial(second.count, successes - number) - constant)
    }
    // Probabilities that are equal except for rounding count as equal.
    let limit = probability(first.successes) * (1 + 1e-7)
    return min(1, possible.reduce(0) { $0 + (probability($1) <= limit ? probability($1) : 0) })
  }

  /// Returns the test of Welch for the means of two independent groups; `nil` for groups of less than two items,
  /// or without variance.
  static func welch(_ first: [Double], _ second: [Double]) -> Double? {
    guard first.count > 1, second.count > 1, let a = first.mean, let b = second.mean else {
      return nil
    }
    let (u, v) = (first.varianceOfMean(a), second.varianceOfMean(b))
    guard u + v > 0, (u + v).isFinite else { return nil }
    let t = (a - b) / (u + v).squareRoot()
    let freedom =
      (u + v) * (u + v) / (u * u / Double(first.count - 1) + v * v / Double(second.count - 1))
    return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5)
  }

  /// Returns the two-sided probability of a difference from its resampled values; `nil` if there are none.
  ///
  /// The smallest probability is 2 over the number of resamples plus 1, since no finite number excludes a
  /// difference of 0.
  static func resampled(_ differences: [Double]) -> Double? {
    let defined = differences.filter { !$0.isNaN }
    guard !defined.isEmpty else { return nil }
    let (low, high) = (defined.count { $0 <= 0 }, defined.count { $0 >= 0 })
    return min(1, 2 * Double(min(low, high) + 1) / Double(defined.count + 1))
  }

  /// Returns probabilities that allow for the number of tests, by the method of Holm, in the same order.
  ///
  /// Of 100 tests without any difference, five have a probability below 0.05.
  static func adjusted(_ probabilities: [Double], of count: Int) -> [Double] {
    var result = probabilities
    var largest = 0.0
    let order = probabilities.indices.sorted { probabilities[$0] < probabilities[$1] }
    for (rank, index) in order.enumerated() {
      largest = max(largest, min(1, probabilities[index] * Double(max(1, count - rank))))
      result[index] = largest
    }
    return result
  }

  private static func logBinomial(_ count: Int, _ chosen: Int) -> Double {
    lgamma(Double(count + 1)).0 - lgamma(Double(chosen + 1)).0
      - lgamma(Double(count - chosen + 1)).0
  }

  /// Returns the regularized incomplete beta function by its continued fraction (Lentz's algorithm).
  private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    guard x <= (a + 1) / (a + b + 2) else { return 1 - incompleteBeta(1 - x, b, a) }
    let logarithm =
      lgamma(a + b).0 - lgamma(a).0 - lgamma(b).0 + a * log(x) + b * log1p(-x)
    let tiny = 1e-300
    var (c, d) = (1.0, 1 - (a + b) * x / (a + 1))
    d = 1 / (abs(d) < tiny ? tiny : d)
    var fraction = d
    for step in 1...10_000 {
      let m = Double(step)
      let terms = [
        m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
      ]
      var change = 1.0
      for term in terms {
        d = 1 + term * d
        d = 1 / (abs(d) < tiny ? tiny : d)
        c = 1 + term / c
        c = abs(c) < tiny ? tiny : c
        change = d * c
        fraction *= change
      }
      if abs(change - 1) < 1e-15 { break }
    }
    return exp(logarithm) * fraction / a
  }
}

extension [Double] {
  /// Returns the variance of the mean.
  fileprivate func varianceOfMean(_ mean: Double) -> Double {
    reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1) / Double(count)
  }
}
