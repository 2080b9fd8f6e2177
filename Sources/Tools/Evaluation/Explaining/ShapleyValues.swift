import TensorIOSystem

/// The part of each feature in the difference of a prediction from that of a background (Shapley values).
enum ShapleyValues {
  /// The maximum number of features of which every subset is evaluated.
  static let maxExactCount = 12
  /// The maximum number of subsets that are sampled for more features, besides two for each feature.
  static let maxSampleCount = 2048
  /// The seed of sampled subsets.
  static let seed: UInt64 = 50

  /// The subsets of features to evaluate, and how the values follow from theirs.
  struct Plan: Sendable {
    /// The subsets: whether each feature has the value of the item.
    let subsets: [[Bool]]
    /// The weights of the subsets in the regression; empty if all subsets are evaluated.
    fileprivate let weights: [Double]
    fileprivate let count: Int
  }

  /// Plans the evaluation of `count` features: all subsets of a few, and samples for more (Kernel SHAP).
  static func plan(count: Int) -> Plan {
    guard count > maxExactCount else {
      let subsets = (0..<1 << count).map { bits in (0..<count).map { bits >> $0 & 1 == 1 } }
      return Plan(subsets: subsets, weights: [], count: count)
    }
    return sampledPlan(count: count, budget: 2 * count + maxSampleCount)
  }

  /// Plans a regression over sampled subsets: all of the small and large sizes that fit the budget, and random ones of the
  /// other sizes, each with its complement.
  static func sampledPlan(count: Int, budget: Int) -> Plan {
    var subsets = [[Bool](repeating: false, count: count), [Bool](repeating: true, count: count)]
    var weights = [0.0, 0.0]
    var rest = budget
    var size = 1
    // The kernel's weight of all subsets of a size together.
    func weight(_ size: Int) -> Double { Double(count - 1) / (Double(size) * Double(count - size)) }
    while 2 * size <= count {
      let isHalf = 2 * size == count
      let total = binomial(count, size, limit: rest + 1)
      guard total * (isHalf ? 1 : 2) <= rest else { break }
      for subset in combinations(count, size) {
        subsets.append(subset)
        weights.append(weight(size) / Double(total))
        guard !isHalf else { continue }
        subsets.append(subset.map { !$0 })
        weights.append(weight(size) / Double(total))
      }
      rest -= total * (isHalf ? 1 : 2)
      size += 1
    }
    let sizes = Array(size..<max(size, count - size + 1))
    let cumulative = sizes.reduce(into: [Double]()) { $0.append(($0.last ?? 0) + weight($1)) }
    guard let whole = cumulative.last, rest > 1 else {
      return Plan(subsets: subsets, weights: weights, count: count)
    }
    var random = SplitMix64(seed: seed, stream: 0)
    let pairs = rest / 2
    for _ in 0..<pairs {
      let position = random.nextUnit() * whole
      let chosen = sizes[cumulative.firstIndex { position < $0 } ?? sizes.count - 1]
      var subset = [Bool](repeating: false, count: count)
      // Each feature is chosen with the probability that the rest of the size requires.
      var needed = chosen
      for index in 0..<count where random.next(below: count - index) < needed {
        subset[index] = true
        needed -= 1
      }
      subsets += [subset, subset.map { !$0 }]
      weights += [whole / Double(2 * pairs), whole / Double(2 * pairs)]
    }
    return Plan(subsets: subsets, weights: weights, count: count)
  }

  /// Returns the values of the features from those of the subsets of a plan.
  static func values(_ plan: Plan, _ results: [Double]) -> [Double] {
    plan.weights.isEmpty ? exact(plan.count, results) : regression(plan, results)
  }

  private static func exact(_ count: Int, _ results: [Double]) -> [Double] {
    guard count > 0 else { return [] }
    // |S|! (n - |S| - 1)! / n! is 1 / (n · C(n - 1, |S|)).
    let weights = (0..<count).map {
      1 / (Double(count) * Double(binomial(count - 1, $0, limit: .max)))
    }
    var values = [Double](repeating: 0, count: count)
    for bits in results.indices {
      for feature in 0..<count where bits >> feature & 1 == 0 {
        values[feature] +=
          weights[bits.nonzeroBitCount] * (results[bits | 1 << feature] - results[bits])
      }
    }
    return values
  }

  /// Returns the weighted least squares solution whose sum is the difference of the prediction from the background.
  private static func regression(_ plan: Plan, _ results: [Double]) -> [Double] {
    let count = plan.count
    let (none, all) = (results[0], results[1])
    let last = count - 1
    // The constraint on the sum eliminates the last feature.
    var matrix = [[Double]](repeating: [Double](repeating: 0, count: count), count: last)
    for (index, subset) in plan.subsets.enumerated().dropFirst(2) {
      let weight = plan.weights[index]
      let lastPart = subset[last] ? 1.0 : 0
      let target = results[index] - none - lastPart * (all - none)
      let row = (0..<last).map { (subset[$0] ? 1.0 : 0) - lastPart }
      for i in 0..<last where row[i] != 0 {
        for j in 0..<last { matrix[i][j] += weight * row[i] * row[j] }
        matrix[i][last] += weight * row[i] * target
      }
    }
    let solution = solve(matrix)
    return solution + [all - none - solution.reduce(0, +)]
  }

  /// Solves equations by elimination with row exchanges; the right side is the last column.
  ///
  /// Unknowns that the equations do not determine are 0.
  private static func solve(_ equations: [[Double]]) -> [Double] {
    var matrix = equations
    let count = matrix.count
    for column in 0..<count {
      let pivot =
        (column..<count).max { abs(matrix[$0][column]) < abs(matrix[$1][column]) } ?? column
      guard abs(matrix[pivot][column]) > 1e-12 else { continue }
      matrix.swapAt(pivot, column)
      for row in column + 1..<count where matrix[row][column] != 0 {
        let factor = matrix[row][column] / matrix[column][column]
        for index in column...count { matrix[row][index] -= factor * matrix[column][index] }
      }
    }
    var solution = [Double](repeating: 0, count: count)
    for row in (0..<count).reversed() where abs(matrix[row][row]) > 1e-12 {
      let known = (row + 1..<count).reduce(0.0) { $0 + matrix[row][$1] * solution[$1] }
      solution[row] = (matrix[row][count] - known) / matrix[row][row]
    }
    return solution
  }

  /// Returns a binomial coefficient, or the limit if it is larger.
  private static func binomial(_ count: Int, _ chosen: Int, limit: Int) -> Int {
    var result = 1
    for index in 0..<min(chosen, count - chosen) {
      let (product, overflow) = result.multipliedReportingOverflow(by: count - index)
      guard !overflow else { return limit }
      result = product / (index + 1)
      if result >= limit { return limit }
    }
    return result
  }

  /// Returns all subsets of a size.
  private static func combinations(_ count: Int, _ size: Int) -> [[Bool]] {
    var positions = Array(0..<size)
    var subsets: [[Bool]] = []
    while true {
      var subset = [Bool](repeating: false, count: count)
      for position in positions { subset[position] = true }
      subsets.append(subset)
      guard let index = (0..<size).last(where: { positions[$0] < count - size + $0 }) else {
        return subsets
      }
      positions[index] += 1
      for next in index + 1..<max(index + 1, size) { positions[next] = positions[next - 1] + 1 }
    }
  }
}
