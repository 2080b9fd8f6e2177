import TensorIOSystem

/// Multinomial logistic regression: a weight for each number and class, and a bias for each class.
///
/// The weights minimize ½ |W|² + C · Σ sᵢ · (cross entropy of example i), where sᵢ gives all classes the same total. The
/// biases are not regularized. This is scikit-learn's `LogisticRegression(C=C, class_weight="balanced")`.
struct LogisticRegression: Sendable {
  /// The weights, a row for each class.
  var weights: Matrix
  /// The biases.
  var bias: [Double]

  /// Finds the weights for examples.
  ///
  /// - Parameters:
  ///   - examples: The examples, a row for each.
  ///   - classes: The class of each example.
  ///   - count: The number of classes.
  ///   - regularization: C: the weight of the examples against that of small weights.
  ///   - start: Weights to start from; `nil` for zeros. Without a proximity, they change the time, not the result.
  ///   - minimizer: The method, with its accuracy.
  ///   - proximity: µ: the mean loss of an example grows by half the squared distance of weights and biases from `start`
  ///     times this number.
  init(
    _ examples: Matrix, _ classes: [Int], count: Int, regularization: Double,
    from start: LogisticRegression? = nil, by minimizer: ConvexMinimizer = ConvexMinimizer(),
    proximity: Double = 0
  ) {
    let length = examples.columns
    let sampleWeights = Self.balancedWeights(classes, count: count)
    let initial =
      start.map { $0.weights.values + $0.bias }
      ?? [Double](repeating: 0, count: count * (length + 1))
    let pull = proximity * regularization * Double(classes.count)
    let solution = minimizer.minimum(from: initial) { point, gradient in
      let squares = Matrix.product(point, 0, point, 0, count * length)
      for index in 0..<count * length { gradient[index] = point[index] }
      for index in count * length..<point.count { gradient[index] = 0 }
      let loss = Self.addLoss(
        examples, classes, point.span, sampleWeights.map { $0 * regularization }, to: &gradient)
      guard pull > 0 else { return 0.5 * squares + loss }
      var distance = 0.0
      for index in point.indices {
        let difference = point[index] - initial[index]
        distance += difference * difference
        gradient[index] += pull * difference
      }
      return 0.5 * (squares + pull * distance) + loss
    }
    weights = Matrix(columns: length, values: Array(solution.prefix(count * length)))
    bias = Array(solution.suffix(count))
  }

  /// Adds the gradient of the weighted cross entropies of examples to another gradient.
  ///
  /// - Returns: The sum of the cross entropies.
  private static func addLoss(
    _ examples: Matrix, _ classes: [Int], _ point: Span<Double>, _ weights: [Double],
    to gradient: inout [Double]
  ) -> Double {
    let (length, count) = (examples.columns, weights.count)
    let values = examples.values.span
    var target = gradient.mutableSpan
    var loss = 0.0
    var scores = [Double](repeating: 0, count: count)
    for (example, label) in classes.enumerated() {
      let row = values.extracting(example * length..<(example + 1) * length)
      for index in 0..<count {
        let rowOfClass = point.extracting(index * length..<(index + 1) * length)
        scores[index] = Matrix.product(row, rowOfClass) + point[count * length + index]
      }
      let own = scores[label]
      let highest = scores.max() ?? 0
      var sum = 0.0
      for index in 0..<count {
        scores[index] = exp(scores[index] - highest)
        sum += scores[index]
      }
      loss += weights[label] * (highest + log(sum) - own)
      for index in 0..<count {
        let factor = weights[label] * (scores[index] / sum - (index == label ? 1 : 0))
        target[count * length + index] += factor
        let start = index * length
        for column in 0..<length { target[start + column] += factor * row[column] }
      }
    }
    return loss
  }

  /// Creates a regression of its weights.
  init(weights: Matrix, bias: [Double]) { (self.weights, self.bias) = (weights, bias) }

  /// Returns the scores of the classes for an example.
  func scores(_ examples: Matrix, _ row: Int) -> [Double] {
    bias.indices.map { examples.product(row, weights, $0) + bias[$0] }
  }

  /// Returns a weight for each class such that all classes with examples have the same total: examples / (classes · examples
  /// of the class).
  static func balancedWeights(_ classes: [Int], count: Int) -> [Double] {
    var counts = [Int](repeating: 0, count: count)
    for label in classes { counts[label] += 1 }
    let present = counts.count { $0 > 0 }
    return counts.map { Double(classes.count) / (Double(present) * Double(max(1, $0))) }
  }
}

extension [Double] {
  /// The logarithm of the sum of the exponential function of the numbers, which does not overflow.
  var logarithmOfExponentialSum: Double {
    let highest = self.max() ?? 0
    return highest + log(reduce(0) { $0 + exp($1 - highest) })
  }

  /// Returns the probabilities that softmax makes of scores.
  var probabilities: [Double] {
    let logarithm = logarithmOfExponentialSum
    return map { exp($0 - logarithm) }
  }

  /// The index of the highest number, the first of equal ones.
  var highestIndex: Int { indices.max { (self[$0], $1) < (self[$1], $0) } ?? 0 }
}
