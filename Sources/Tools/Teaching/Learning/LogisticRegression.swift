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
  ///   - proximity: µ: the mean loss of an example grows by half the squared distance of weights and biases from `start`
  ///     times this number.
  init(
    _ examples: Matrix, _ classes: [Int], count: Int, regularization: Double,
    from start: LogisticRegression? = nil, proximity: Double = 0
  ) {
    let length = examples.columns
    let sampleWeights = Self.balancedWeights(classes, count: count)
    let initial =
      start.map { $0.weights.values + $0.bias }
      ?? [Double](repeating: 0, count: count * (length + 1))
    let pull = proximity * regularization * Double(classes.count)
    let solution = ConvexMinimizer().minimum(from: initial) { point, gradient in
      let squares = Matrix.product(point, 0, point, 0, count * length)
      for index in 0..<count * length { gradient[index] = point[index] }
      for index in count * length..<point.count { gradient[index] = 0 }
      var loss = 0.0
      var scores = [Double](repeating: 0, count: count)
      for (example, label) in classes.enumerated() {
        for index in 0..<count {
          scores[index] =
            Matrix.product(examples.values, example * length, point, index * length, length)
            + point[count * length + index]
        }
        let weight = regularization * sampleWeights[label]
        let logarithm = scores.logarithmOfExponentialSum
        loss += weight * (logarithm - scores[label])
        for index in 0..<count {
          let probability = exp(scores[index] - logarithm)
          let factor = weight * (probability - (index == label ? 1 : 0))
          for column in 0..<length {
            gradient[index * length + column] += factor * examples.values[example * length + column]
          }
          gradient[count * length + index] += factor
        }
      }
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
