import TensorIOBundle
import TensorIOData

/// The classes of objects and of the predictions at the same places, for boxes and for masks.
struct ObjectConfusion: Sendable {
  /// A predicted object.
  struct Prediction: Sendable {
    let category: Int
    let score: Double
  }

  /// An annotated object.
  struct Object: Sendable {
    let category: Int
    /// Whether it is a crowd: predictions in it count neither as right nor as wrong.
    let isCrowd: Bool
  }

  /// The class of missed objects, and of predictions without an object.
  private static let backgroundClass = Int.max
  /// The minimum overlap of a prediction and its object.
  private static let minOverlap = 0.5

  /// The minimum score of predictions, from the bundle.
  let threshold: Double
  private let labels: [String]
  private var matrix = ConfusionMatrix()
  private(set) var costs: CostTally?

  init(threshold: Double, labels: [String]) {
    (self.threshold, self.labels) = (threshold, labels)
  }

  /// Sets what errors cost.
  mutating func use(_ costs: ErrorCosts) throws(ModelError) {
    try costs.throwIfUnknown(among: labels)
    self.costs = CostTally(costs)
  }

  /// Adds an image: each prediction, from the highest score down, is matched with the object that it overlaps most,
  /// whatever the classes.
  ///
  /// - Parameters:
  ///   - predictions: The predicted objects.
  ///   - objects: The annotated objects.
  ///   - overlap: Returns the overlap of a prediction and an object; for a crowd, the part of the prediction that is
  ///     in it.
  mutating func add(
    _ predictions: [Prediction], _ objects: [Object], overlap: (Int, Int) -> Double
  ) {
    // What a lower threshold would cost is known from all predictions; the matrix has those above the bundle's.
    let order = predictions.indices.sortedByScore { predictions[$0].score }
      .filter { costs != nil || predictions[$0].score >= threshold }
    var remaining = objects.indices.filter { !objects[$0].isCrowd }
    let crowds = objects.indices.filter { objects[$0].isCrowd }
    var missed = remaining
    var changes: [CostTally.Change] = []
    var cost = 0.0
    for index in order {
      let prediction = predictions[index]
      let isShown = prediction.score >= threshold
      let overlaps = remaining.map { overlap(index, $0) }
      let best = overlaps.indices.max { overlaps[$0] < overlaps[$1] }
      if let best, overlaps[best] >= Self.minOverlap {
        let object = remaining.remove(at: best)
        let truth = objects[object].category
        let price = self.price(of: prediction.category, truth: truth)
        changes.append(
          .init(
            score: prediction.score,
            cost: price - self.price(of: Self.backgroundClass, truth: truth)))
        guard isShown else { continue }
        missed.removeAll { $0 == object }
        cost += price
        matrix.add(prediction.category, actual: truth)
      } else if !crowds.contains(where: { overlap(index, $0) >= Self.minOverlap }) {
        let price = self.price(of: prediction.category, truth: Self.backgroundClass)
        changes.append(.init(score: prediction.score, cost: price))
        guard isShown else { continue }
        cost += price
        matrix.add(prediction.category, actual: Self.backgroundClass)
      }
    }
    for object in missed {
      matrix.add(Self.backgroundClass, actual: objects[object].category)
      cost += price(of: Self.backgroundClass, truth: objects[object].category)
    }
    let none = objects.filter { !$0.isCrowd }.reduce(0) {
      $0 + price(of: Self.backgroundClass, truth: $1.category)
    }
    costs?.add(cost, without: none, changes)
  }

  /// Returns the cost of a prediction; 0 if costs are unknown.
  private func price(of prediction: Int, truth: Int) -> Double {
    costs?.costs.cost(of: label(of: prediction), truth: label(of: truth)) ?? 0
  }

  /// The matrix for a result; `nil` without objects and predictions.
  var result: ConfusionResult? {
    matrix.cells.isEmpty ? nil : matrix.result(label: label(of:))
  }

  private func label(of category: Int) -> String {
    if category == Self.backgroundClass { return ErrorCosts.background }
    return labels.indices.contains(category) ? labels[category] : String(category)
  }
}
