package import TensorIOCore
import TensorIOSystem

/// A classifier of embeddings with everything that was measured on its examples.
///
/// `Models/make_teaching_goldens.py` computes the same numbers with SciPy and scikit-learn.
package struct FittedHead: Sendable {
  /// The weights and biases, with the temperature applied.
  let regression: LogisticRegression
  /// C: the weight of the examples against that of small weights.
  package let regularization: Double
  /// The number of parts of which each was held out once.
  package let foldCount: Int
  /// The mean log loss of held-out examples, with the same total for all classes.
  package let heldOutLoss: Double
  /// The number by which scores are divided, so that probabilities are as sure as they are right.
  package let temperature: Double
  /// The probabilities of the classes for each example, computed without it.
  package let heldOut: [[Double]]
  /// The indices of the examples with which accuracy, temperature and distances are measured.
  let measuredExamples: [Int]
  /// The cosine distance of each measured example to the nearest other one of its class; `nil` if there is none.
  package let ownDistances: [Double?]
  /// The cosine distance of each measured example to the nearest one of another class.
  package let otherDistances: [Double]
  /// The embeddings at unit length, one after the other.
  private let examples: Matrix

  /// The values of C that are tried.
  static let grid = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]
  /// The value of C for classes with fewer examples than ``minCountForGrid``, within 0.015 of the best accuracy on all data
  /// that was tried.
  static let defaultRegularization = 100.0
  private static let minCountForGrid = 4
  private static let maxFoldCount = 5
  /// The method for fits that are compared, whose losses differ by far more than its accuracy.
  private static let heldOutMinimizer = ConvexMinimizer(leastDecrease: 1e-10)

  /// Fits a head.
  ///
  /// - Parameters:
  ///   - embeddings: The embeddings of the examples, of any length greater than 0.
  ///   - classes: The class of each example; each class has at least two.
  ///   - count: The number of classes.
  ///   - regularization: C; `nil` chooses the one with the smallest loss of held-out examples.
  ///   - trained: Whether the model that computes the embeddings was trained on each example. Such examples determine the
  ///     weights and nothing that is measured, unless there are no others.
  package init(
    _ embeddings: [[Float]], _ classes: [Int], count: Int, regularization: Double? = nil,
    trained: [Bool] = []
  ) {
    let measured = classes.indices.filter { !trained.indices.contains($0) || !trained[$0] }
    measuredExamples = measured.isEmpty ? Array(classes.indices) : measured
    let columns = embeddings.first?.count ?? 0
    examples = Matrix(columns: columns, values: embeddings.joined().map(Double.init)).normalized
    // The weights are sums of examples. So with few examples, the same problem has fewer unknowns in their span.
    let basis = examples.rows < columns ? examples.rowBasis : nil
    let coordinates = basis.map(examples.products) ?? examples
    let smallest = (0..<count).map { label in classes.count { $0 == label } }.min() ?? 0
    let folds = Self.folds(classes, max(2, min(Self.maxFoldCount, smallest)))
    let candidates =
      regularization.map { [$0] }
      ?? (smallest < Self.minCountForGrid ? [Self.defaultRegularization] : Self.grid)
    let best = Self.bestCandidate(
      candidates, coordinates, classes, count, folds, measuredExamples)
    let fitted = LogisticRegression(
      coordinates, classes, count: count, regularization: best.regularization)
    temperature = Self.temperature(
      measuredExamples.map { best.scores[$0] }, measuredExamples.map { classes[$0] })
    let scale = temperature
    let weights = basis.map(fitted.weights.combining) ?? fitted.weights
    regression = LogisticRegression(
      weights: Matrix(columns: columns, values: weights.values.map { $0 / scale }),
      bias: fitted.bias.map { $0 / scale })
    heldOut = best.scores.map { scores in scores.map { $0 / scale }.probabilities }
    (self.regularization, heldOutLoss) = (best.regularization, best.loss)
    foldCount = (folds.max() ?? 0) + 1
    let distances = Self.distances(examples, classes)
    ownDistances = measuredExamples.map { distances.own[$0] }
    otherDistances = measuredExamples.map { distances.other[$0] }
  }

  /// Returns the part that each example belongs to: those of each class take turns, in their order.
  static func folds(_ classes: [Int], _ count: Int) -> [Int] {
    var next: [Int: Int] = [:]
    return classes.map { label in
      defer { next[label, default: 0] += 1 }
      return next[label, default: 0] % count
    }
  }

  private typealias Candidate = (regularization: Double, loss: Double, scores: [[Double]])

  /// Returns the C with the smallest loss of held-out examples, with their scores.
  private static func bestCandidate(
    _ candidates: [Double], _ examples: Matrix, _ classes: [Int], _ count: Int, _ folds: [Int],
    _ measured: [Int]
  ) -> Candidate {
    let weights = LogisticRegression.balancedWeights(classes, count: count)
    var fitted: [Int: LogisticRegression] = [:]
    var best: Candidate?
    for candidate in candidates {
      var scores = [[Double]](repeating: [], count: classes.count)
      for fold in Set(folds).sorted() {
        let kept = folds.indices.filter { folds[$0] != fold }
        let regression = LogisticRegression(
          examples.selecting(kept), kept.map { classes[$0] }, count: count,
          regularization: candidate, from: fitted[fold], by: heldOutMinimizer)
        fitted[fold] = regression
        for example in folds.indices where folds[example] == fold {
          scores[example] = regression.scores(examples, example)
        }
      }
      let losses = measured.map { example in
        weights[classes[example]]
          * (scores[example].logarithmOfExponentialSum - scores[example][classes[example]])
      }
      let loss = losses.reduce(0, +) / Double(max(1, losses.count))
      if loss < (best?.loss ?? .infinity) - 1e-9 { best = (candidate, loss, scores) }
    }
    return best ?? (
      defaultRegularization, .nan, classes.map { _ in [Double](repeating: 0, count: count) }
    )
  }

  /// Returns the temperature with the smallest loss of held-out scores.
  ///
  /// It has a lower limit: if all scores are right, the loss falls as long as the temperature does.
  static func temperature(_ scores: [[Double]], _ classes: [Int]) -> Double {
    let (low, high, count) = (log(0.25), log(8.0), 101)
    let temperatures = (0..<count).map { exp(low + (high - low) * Double($0) / Double(count - 1)) }
    let losses = temperatures.map { temperature in
      zip(scores, classes).reduce(0) { sum, item in
        let scaled = item.0.map { $0 / temperature }
        return sum + scaled.logarithmOfExponentialSum - scaled[item.1]
      }
    }
    return temperatures[zip(losses.indices, losses).min { $0.1 < $1.1 }?.0 ?? 0]
  }

  /// Returns the cosine distance of each example to the nearest other one of its class, and to the nearest one of another.
  static func distances(
    _ examples: Matrix, _ classes: [Int]
  ) -> (own: [Double?], other: [Double]) {
    var own = [Double?](repeating: nil, count: classes.count)
    var other = [Double](repeating: .infinity, count: classes.count)
    for row in classes.indices {
      for next in classes.indices.dropFirst(row + 1) {
        let distance = 1 - examples.product(row, examples, next)
        for index in [row, next] {
          if classes[row] == classes[next] {
            own[index] = min(own[index] ?? .infinity, distance)
          } else {
            other[index] = min(other[index], distance)
          }
        }
      }
    }
    return (own, other)
  }
}

extension FittedHead {
  /// Returns the distance beyond which a fraction of the examples would belong to no class, each measured without itself.
  ///
  /// - Parameter rate: The fraction, from 0 to 1.
  /// - Returns: The quantile with linear interpolation; `nil` if no class has two examples.
  package func maxDistance(rejecting rate: Double) -> Double? {
    Self.quantile(of: ownDistances, beyond: rate)
  }

  /// Returns the distance beyond which a fraction of distances are, with linear interpolation; `nil` if there are none.
  static func quantile(of distances: [Double?], beyond rate: Double) -> Double? {
    let sorted = distances.compactMap(\.self).sorted()
    guard let last = sorted.indices.last else { return nil }
    let position = (1 - rate) * Double(last)
    let index = min(Int(position), last)
    let fraction = position - Double(index)
    return sorted[index] + fraction * (sorted[min(index + 1, last)] - sorted[index])
  }

  /// Returns the cosine distance of an embedding to the nearest example.
  package func distance(of embedding: [Float]) -> Double {
    let item = Matrix(columns: examples.columns, values: embedding.map(Double.init)).normalized
    return (0..<examples.rows).map { 1 - item.product(0, examples, $0) }.min() ?? .infinity
  }

  /// Returns the probabilities of the classes for an embedding.
  package func probabilities(of embedding: [Float]) -> [Double] {
    let item = Matrix(columns: examples.columns, values: embedding.map(Double.init)).normalized
    return regression.scores(item, 0).probabilities
  }

  /// Returns the layers for a model file.
  ///
  /// - Parameter maxDistance: The distance beyond which an input belongs to no class; `nil` if each belongs to one.
  /// - Returns: The layers.
  package func head(maxDistance: Double?) -> ClassifierHead {
    ClassifierHead(
      dimensions: examples.columns, weights: regression.weights.values.map(Float.init),
      bias: regression.bias.map(Float.init),
      unknown: maxDistance.map {
        .init(examples: examples.values.map(Float.init), maxDistance: Float($0))
      })
  }
}
