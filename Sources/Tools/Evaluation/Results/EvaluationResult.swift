public import TensorIOBundle

/// The result of evaluating a model on a dataset.
public struct EvaluationResult: Sendable, Hashable {
  /// The evaluated model.
  public var model: EvaluatedModel
  /// The path of the dataset.
  public var data: String
  /// The digests and versions that determine the result.
  package var identity = EvaluationIdentity()
  /// The number of evaluated items.
  public var count = 0
  /// The items that could not be evaluated.
  public var failedItems: [FailedItem] = []
  /// The metrics of the model; the outputs of the bundle's own `eval` mode come first.
  public var metrics: [MetricValue] = []
  /// The metrics that cannot be computed from the model's outputs, with the reason.
  package var undefinedMetrics: [UndefinedMetric] = []
  /// The metrics whose uncertainty is unknown, with the reason.
  package var metricsWithoutInterval: [UndefinedMetric] = []
  /// The metrics of each class.
  public var classes: [ClassResult] = []
  /// The metrics of the slices that were asked for.
  public internal(set) var slices: [SliceResult] = []
  /// The slices that are worse than the other items.
  package var worstSlices = SliceFindings()
  /// What changed since a baseline; `nil` without one.
  package var comparison: BaselineComparison?
  /// The names of items that have the same image.
  package var duplicates: [[String]] = []
  /// The number of recordings by the normalizer of their texts.
  package var normalizers: [String: Int] = [:]
  /// The gates and their outcomes.
  public var verdict = Verdict()
  /// The confusion matrix of a classifier.
  package var confusion: ConfusionResult?
  /// ROC and precision-recall curves.
  package var curves: [ResultCurve] = []
  /// The best threshold of each class, and of all together.
  package var operatingPoints: [OperatingPoint] = []
  /// The kinds of errors that cost something, the most expensive first; empty if costs are unknown.
  package var errorCosts: [ErrorCost] = []
  /// The bins of the calibration curve.
  package var calibration: [CalibrationBin] = []
  /// The worst and the best predictions.
  package var samples = SamplePredictions()
  /// The evaluated items.
  package var items = ItemTable()
  /// Latency, throughput and memory.
  package var performance = PerformanceResult()
  /// The distributions of inputs and results; `nil` unless they were measured.
  public package(set) var reference: DriftReference?

  /// Creates an empty result.
  public init(model: EvaluatedModel, data: String) {
    (self.model, self.data) = (model, data)
  }
}

/// The identity of an evaluated model.
public struct EvaluatedModel: Sendable, Hashable {
  /// The path of the bundle.
  public var path: String
  /// The name of the bundle.
  public var name: String
  /// The identifier of the bundle.
  public var id: String
  /// The version of the bundle.
  public var version: String

  /// Creates the identity of a model.
  public init(path: String, name: String, id: String, version: String) {
    (self.path, self.name, self.id, self.version) = (path, name, id, version)
  }
}

/// What determines a result: the model, the data, and what ran it.
package struct EvaluationIdentity: Sendable, Hashable {
  /// The SHA-256 digest of the model, its labels and its description.
  package var model = ""
  /// The SHA-256 digest of the description, `model.json`.
  package var description = ""
  /// The SHA-256 digest of the data.
  package var data = ""
  /// The runtime and its version.
  package var runtime = ""

  /// Creates an unknown identity.
  package init() {}

  /// The known facts with their names.
  package var facts: [(name: String, value: String)] {
    [("model", model), ("description", description), ("data", data), ("runtime", runtime)]
      .filter { !$1.isEmpty }.map { (name: $0, value: $1) }
  }
}

/// An item that could not be evaluated.
public struct FailedItem: Sendable, Hashable {
  /// The name of the item in the dataset.
  public var name: String
  /// The stage that failed.
  public var stage: ModelError.Stage
  /// The error code.
  public var code: String
  /// The error message.
  public var message: String

  /// Creates a failed item.
  public init(name: String, stage: ModelError.Stage, code: String, message: String) {
    (self.name, self.stage, self.code, self.message) = (name, stage, code, message)
  }

  /// Creates a failed item from an error.
  init(_ name: String, _ error: ModelError) {
    self.init(name: name, stage: error.stage, code: error.code, message: error.message)
  }
}

/// A metric that cannot be computed from the outputs of a model.
package struct UndefinedMetric: Sendable, Hashable {
  /// The name of the metric.
  package var name: String
  /// The reason.
  package var reason: String

  /// Creates an undefined metric.
  package init(name: String, reason: String) { (self.name, self.reason) = (name, reason) }
}

extension [UndefinedMetric] {
  /// One sentence for all metrics with the same reason, in order.
  package var sentences: [String] { sentences("undefined") }

  /// Returns one sentence for all metrics with the same reason, in order, with what is the case for it.
  package func sentences(_ predicate: String) -> [String] {
    var reasons: [String] = []
    for metric in self where !reasons.contains(metric.reason) { reasons.append(metric.reason) }
    return reasons.map { reason in
      let names = filter { $0.reason == reason }.map(\.name).joined(separator: ", ")
      return "\(names) \(predicate): \(reason)"
    }
  }
}

/// The metrics of one class.
public struct ClassResult: Sendable, Hashable {
  /// The label of the class.
  public var label: String
  /// The number of examples of the class in the dataset.
  public var count: Int
  /// The metrics of the class.
  public var metrics: [MetricValue]

  /// Creates the result of a class.
  public init(label: String, count: Int, metrics: [MetricValue]) {
    (self.label, self.count, self.metrics) = (label, count, metrics)
  }
}

/// A confusion matrix, stored as its nonzero cells.
package struct ConfusionResult: Sendable, Hashable {
  /// The labels of the classes that occur, in order.
  package var labels: [String]
  /// The nonzero cells.
  package var cells: [Cell]

  /// The number of examples with one actual and one predicted class.
  package struct Cell: Sendable, Hashable {
    /// The index of the actual class in ``labels`` (row).
    package var actual: Int
    /// The index of the predicted class in ``labels`` (column).
    package var predicted: Int
    /// The number of examples.
    package var count: Int

    /// Creates a cell.
    package init(actual: Int, predicted: Int, count: Int) {
      (self.actual, self.predicted, self.count) = (actual, predicted, count)
    }
  }

  /// Creates a matrix from its nonzero cells.
  package init(labels: [String], cells: [Cell]) {
    (self.labels, self.cells) = (labels, cells)
  }
}

/// A curve of a metric, such as a ROC curve.
package struct ResultCurve: Sendable, Hashable {
  /// The kind of a curve.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// True positive rate over false positive rate.
    case roc
    /// Precision over recall.
    case precisionRecall = "pr"
    /// The F1 score over the score.
    case f1
    /// Precision over the score.
    case precision
    /// Recall over the score.
    case recall
    /// The recall of words over the number of words per hour that were heard and not spoken.
    case falseAccepts = "false_accepts"
  }

  /// The kind of curve.
  package var kind: Kind
  /// The label of the class, or an empty string for a curve over all classes.
  package var label: String
  /// The area under the curve, as the metric defines it.
  package var area: Double?
  /// The points from left to right.
  package var points: [Point]

  /// A point of a curve.
  package struct Point: Sendable, Hashable {
    /// The horizontal coordinate.
    package var x: Double
    /// The vertical coordinate.
    package var y: Double
    /// The lowest score that counts at this point; `nil` if it is unknown.
    package var threshold: Double?

    /// Creates a point.
    package init(_ x: Double, _ y: Double, threshold: Double? = nil) {
      (self.x, self.y, self.threshold) = (x, y, threshold)
    }
  }

  /// Creates a curve.
  package init(_ kind: Kind, label: String, area: Double?, points: [Point]) {
    (self.kind, self.label, self.area, self.points) = (kind, label, area, points)
  }
}

/// A bin of predictions with similar confidence.
package struct CalibrationBin: Sendable, Hashable {
  /// The number of predictions.
  package var count: Int
  /// The mean confidence of the predictions.
  package var confidence: Double
  /// The fraction of correct predictions.
  package var accuracy: Double

  /// Creates a bin.
  package init(count: Int, confidence: Double, accuracy: Double) {
    (self.count, self.confidence, self.accuracy) = (count, confidence, accuracy)
  }
}

extension EvaluationResult {
  /// The names of all class metrics, in the order of their first occurrence.
  var classMetricNames: [String] {
    var seen: Set<String> = []
    return classes.flatMap(\.metrics).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension ConfusionResult {
  /// A pair of different actual and predicted classes.
  struct Misclassification: Hashable {
    let actual: String
    let predicted: String
    let count: Int
  }

  /// Returns the most frequent misclassifications; ties are in the order of the labels.
  func mostFrequentMisclassifications(_ limit: Int) -> [Misclassification] {
    misclassifiedCells.sorted {
      ($1.count, $0.actual, $0.predicted) < ($0.count, $1.actual, $1.predicted)
    }
    .prefix(limit)
    .map {
      Misclassification(actual: labels[$0.actual], predicted: labels[$0.predicted], count: $0.count)
    }
  }

  /// The cells off the diagonal; cells with invalid indices are ignored.
  private var misclassifiedCells: [Cell] {
    cells.filter {
      $0.actual != $0.predicted && labels.indices.contains($0.actual)
        && labels.indices.contains($0.predicted)
    }
  }

  /// Returns the matrix of the classes with the most misclassifications, in the order of the
  /// labels.
  func mostConfused(_ limit: Int) -> ConfusionResult {
    guard labels.count > limit else { return self }
    var weights = [Double](repeating: 0, count: labels.count)
    for cell in misclassifiedCells {
      weights[cell.actual] += Double(cell.count)
      weights[cell.predicted] += Double(cell.count)
    }
    let indices = labels.indices.sorted { (weights[$1], Double($0)) < (weights[$0], Double($1)) }
      .prefix(limit)
      .sorted()
    return restricted(to: indices)
  }

  private func restricted(to indices: [Int]) -> ConfusionResult {
    let newIndices = Dictionary(uniqueKeysWithValues: indices.enumerated().map { ($1, $0) })
    return ConfusionResult(
      labels: indices.map { labels[$0] },
      cells: cells.compactMap { cell in
        guard let actual = newIndices[cell.actual], let predicted = newIndices[cell.predicted]
        else {
          return nil
        }
        return Cell(actual: actual, predicted: predicted, count: cell.count)
      })
  }
}
