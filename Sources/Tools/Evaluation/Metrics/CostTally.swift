import TensorIOBundle
import TensorIOData

/// The costs of the errors of items, and those that another threshold would have.
struct CostTally: Sendable {
  /// The name of the metric.
  static let name = "expected_cost"

  /// A prediction that counts from a threshold on, with the cost that it adds or saves.
  struct Change: Sendable {
    let score: Double
    let cost: Double
  }

  /// What errors cost.
  let costs: ErrorCosts
  /// The cost of each item.
  private(set) var items: [Double] = []
  /// The cost of all items if no prediction counts; `nil` if that is unknown.
  private var base: Double? = 0
  private var changes: [Change] = []

  init(_ costs: ErrorCosts) { self.costs = costs }

  /// Adds an item.
  ///
  /// - Parameters:
  ///   - cost: Its cost.
  ///   - none: Its cost if none of its predictions counts; `nil` if that is unknown.
  ///   - changes: What each prediction adds to that cost.
  mutating func add(_ cost: Double, without none: Double?, _ changes: [Change]) {
    items.append(cost)
    base = none.flatMap { none in base.map { $0 + none } }
    guard base != nil else { return self.changes = [] }
    self.changes += changes.filter { $0.score.isFinite }
  }

  /// The mean cost of an item.
  var metric: MetricValue? {
    items.isEmpty
      ? nil : .error(Self.name, items.reduce(0, +) / Double(items.count))
  }

  /// The mean cost over items.
  var itemMetric: any ItemMetric {
    RatioItems(Self.name, unit: .number, direction: .lower, items)
  }

  /// The threshold with the lowest cost, the highest in a tie, and the mean cost of an item there; `nil` if none
  /// is better than no prediction at all.
  var best: (threshold: Double, cost: Double)? {
    guard let base, !items.isEmpty else { return nil }
    var (cost, lowest) = (base, base)
    var threshold: Double?
    let sorted = changes.sorted { $0.score > $1.score }
    for (index, change) in sorted.enumerated() {
      cost += change.cost
      let isLastOfScore = index + 1 == sorted.count || sorted[index + 1].score != change.score
      // Sums in another order differ by their rounding.
      if isLastOfScore, cost < lowest - 1e-12 * max(1, abs(lowest)) {
        (lowest, threshold) = (cost, change.score)
      }
    }
    return threshold.map { ($0, lowest / Double(items.count)) }
  }
}

/// A kind of error with its number and its cost.
package struct ErrorCost: Sendable, Hashable {
  /// The true label.
  package var truth: String
  /// The predicted label.
  package var prediction: String
  /// The number of errors.
  package var count: Int
  /// The cost of one.
  package var cost: Double

  /// Creates a kind of error.
  package init(truth: String, prediction: String, count: Int, cost: Double) {
    (self.truth, self.prediction, self.count, self.cost) = (truth, prediction, count, cost)
  }

  /// The cost of all of them.
  package var total: Double { Double(count) * cost }
}

extension ConfusionResult {
  /// Returns the cells that cost something, the most expensive first.
  func errorCosts(_ costs: ErrorCosts) -> [ErrorCost] {
    cells.map { cell in
      let (truth, prediction) = (labels[cell.actual], labels[cell.predicted])
      return ErrorCost(
        truth: truth, prediction: prediction, count: cell.count,
        cost: costs.cost(of: prediction, truth: truth))
    }
    .filter { $0.cost != 0 }
    .sorted { (-$0.total, $0.truth, $0.prediction) < (-$1.total, $1.truth, $1.prediction) }
  }
}

/// An evaluator of classes, whose errors can have costs.
protocol CostedEvaluator: Evaluator {
  /// Sets what errors cost.
  ///
  /// - Parameter costs: The costs.
  /// - Throws: A `ModelError` if they have a label that the model does not have.
  mutating func use(_ costs: ErrorCosts) throws(ModelError)
}
