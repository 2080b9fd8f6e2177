/// The evaluated items in order, with what is known of each, and the metrics of any of them.
package struct ItemTable: Sendable {
  /// What is known of each item.
  package internal(set) var outcomes: [ItemOutcome] = []
  /// The metrics of the items, the first of each name; empty for a report that was read from a file.
  var metrics: [any ItemMetric] = []
  /// The resampled values of the metrics by name, for differences of models.
  private(set) var distributions: [String: [Double]] = [:]
  /// The number of resamples.
  package private(set) var resampleCount = 0

  /// Creates a table without items.
  package init() {}

  init(_ outcomes: [ItemOutcome], metrics: [any ItemMetric]) {
    (self.outcomes, self.metrics) = (outcomes, metrics)
  }

  /// Returns some of the items.
  func selecting(_ items: [Int]) -> ItemTable {
    ItemTable(items.map { outcomes[$0] }, metrics: metrics.map { $0.selecting(items) })
  }

  /// Resamples the items.
  mutating func resample() {
    let bootstrap = Bootstrap(
      itemCount: outcomes.count, cost: metrics.reduce(0) { $0 + $1.cost })
    distributions = bootstrap.distributions(of: metrics)
    resampleCount = distributions.isEmpty ? 0 : bootstrap.resampleCount
  }

  /// The metrics of all items, with intervals if the table was resampled; of equal names, the first.
  var values: [MetricValue] {
    let weights = [Int32](repeating: 1, count: outcomes.count)
    var names: Set<String> = []
    return metrics.flatMap { metric in
      metric.values(weights).filter { names.insert($0.name).inserted }.map { value in
        var value = value
        value.interval = interval(of: value, metric)
        return value
      }
    }
  }

  private func interval(of value: MetricValue, _ metric: any ItemMetric) -> ConfidenceInterval? {
    guard metric.reasonAgainstInterval(of: value.name) == nil else { return nil }
    return value.interval ?? distributions[value.name].flatMap(ConfidenceInterval.init(resampled:))
  }

  /// Returns the reason why a metric has no interval.
  func reasonAgainstInterval(of name: String) -> String {
    guard outcomes.count > 1 else { return "a single item does not vary" }
    let weights = [Int32](repeating: 1, count: outcomes.count)
    let metric = metrics.first { $0.values(weights).contains { $0.name == name } }
    guard let metric else { return "its items are not independent of one another" }
    return metric.reasonAgainstInterval(of: name) ?? "too many resamples have no value"
  }
}

extension ItemTable: Hashable {
  /// Compares the items; metrics follow from them.
  package static func == (left: ItemTable, right: ItemTable) -> Bool {
    left.outcomes == right.outcomes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(outcomes) }
}

/// What is known of an evaluated item.
package struct ItemOutcome: Sendable, Hashable {
  /// The name of the item in the dataset.
  package var name: String
  /// The ground truth as text; empty if it has no short form.
  package var truth: String
  /// The prediction as text; empty if it has no short form.
  package var prediction: String
  /// Whether the prediction is correct; `nil` for numbers and texts, which are more or less so.
  package var isCorrect: Bool?
  /// The score of the prediction; `nil` if it has none.
  package var confidence: Double?
  /// How wrong the prediction is; `nil` if there is no measure.
  package var loss: Double?
  /// The values of the item's attributes by name.
  package var attributes: [String: String]
  /// The path of the image, if the item has one.
  package var imagePath: String?

  /// Creates an outcome.
  package init(
    name: String, truth: String = "", prediction: String = "", isCorrect: Bool? = nil,
    confidence: Double? = nil, loss: Double? = nil, attributes: [String: String] = [:],
    imagePath: String? = nil
  ) {
    (self.name, self.truth, self.prediction) = (name, truth, prediction)
    (self.isCorrect, self.confidence, self.loss) = (isCorrect, confidence, loss)
    (self.attributes, self.imagePath) = (attributes, imagePath)
  }
}
