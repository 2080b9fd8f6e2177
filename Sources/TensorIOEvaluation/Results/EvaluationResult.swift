public import TensorIOBundle

/// What came of judging a model by data.
public struct EvaluationResult: Sendable, Hashable {
  /// The model that was judged.
  public var model: EvaluatedModel
  /// Where the data lies.
  public var data: String
  /// How many items were judged.
  public var count = 0
  /// The items that could not be judged.
  public var failedItems: [FailedItem] = []
  /// What sums the model up; what the bundle says of itself comes first.
  public var metrics: [MetricValue] = []
  /// What there is to say of each class.
  public var classes: [ClassResult] = []
  /// What was taken for what, where classes are told apart.
  public var confusion: ConfusionResult?
  /// Curves to draw.
  public var curves: [ResultCurve] = []
  /// How right the model was where it was so sure.
  public var calibration: [CalibrationBin] = []
  /// The worst mistakes and the best answers.
  public var samples = SamplePredictions()
  /// How long it took.
  public var performance = PerformanceResult()

  /// A result in which nothing is judged yet.
  public init(model: EvaluatedModel, data: String) {
    (self.model, self.data) = (model, data)
  }
}

/// Who was judged.
public struct EvaluatedModel: Sendable, Hashable {
  /// Where the bundle lies.
  public var path: String
  /// What the bundle calls itself.
  public var name: String
  /// Its identifier.
  public var id: String
  /// Its version.
  public var version: String

  /// A model by what is known of it.
  public init(path: String, name: String, id: String, version: String) {
    (self.path, self.name, self.id, self.version) = (path, name, id, version)
  }
}

/// An item that could not be judged, and why.
public struct FailedItem: Sendable, Hashable {
  /// What the data calls the item.
  public var name: String
  /// Where it went wrong.
  public var stage: ModelError.Stage
  /// What kind of error it was.
  public var code: String
  /// The error in words.
  public var message: String

  /// An item with its error.
  public init(name: String, stage: ModelError.Stage, code: String, message: String) {
    (self.name, self.stage, self.code, self.message) = (name, stage, code, message)
  }

  /// An item by its name, with an error of the pipeline.
  init(_ name: String, _ error: ModelError) {
    self.init(name: name, stage: error.stage, code: error.code, message: error.message)
  }
}

/// What there is to say of a class.
public struct ClassResult: Sendable, Hashable {
  /// The class.
  public var label: String
  /// How many things of it the data has.
  public var count: Int
  /// How well it was told from others.
  public var metrics: [MetricValue]

  /// A class with its figures.
  public init(label: String, count: Int, metrics: [MetricValue]) {
    (self.label, self.count, self.metrics) = (label, count, metrics)
  }
}

/// How many things of each class were taken for which.
public struct ConfusionResult: Sendable, Hashable {
  /// The classes that occur, in order.
  public var labels: [String]
  /// The cells that are not 0: the true class (row), what it was taken for (column), how often.
  public var cells: [Cell]

  /// How often a class was taken for another.
  public struct Cell: Sendable, Hashable {
    /// The true class, as a place in the labels.
    public var actual: Int
    /// What it was taken for, as a place in the labels.
    public var predicted: Int
    /// How often.
    public var count: Int

    /// A cell of the matrix.
    public init(actual: Int, predicted: Int, count: Int) {
      (self.actual, self.predicted, self.count) = (actual, predicted, count)
    }
  }

  /// A matrix by its cells.
  public init(labels: [String], cells: [Cell]) {
    (self.labels, self.cells) = (labels, cells)
  }
}

/// A line through points.
public struct ResultCurve: Sendable, Hashable {
  /// What a curve shows.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// True positive rate over false positive rate.
    case roc
    /// Precision over recall.
    case precisionRecall = "pr"
  }

  /// What it shows.
  public var kind: Kind
  /// Of which class; empty where it is of all.
  public var label: String
  /// The area below it, or what the metric calls so.
  public var area: Double?
  /// From left to right.
  public var points: [Point]

  /// A place on a curve.
  public struct Point: Sendable, Hashable {
    /// From the left.
    public var x: Double
    /// From the bottom.
    public var y: Double

    /// A place by its two coordinates.
    public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
  }

  /// A line with its name.
  public init(_ kind: Kind, label: String, area: Double?, points: [Point]) {
    (self.kind, self.label, self.area, self.points) = (kind, label, area, points)
  }
}

/// The answers that were about equally sure.
public struct CalibrationBin: Sendable, Hashable {
  /// How many there are.
  public var count: Int
  /// How sure they were on average.
  public var confidence: Double
  /// The share of them that was right.
  public var accuracy: Double

  /// Answers that were about equally sure.
  public init(count: Int, confidence: Double, accuracy: Double) {
    (self.count, self.confidence, self.accuracy) = (count, confidence, accuracy)
  }
}

extension EvaluationResult {
  /// The names of the figures that classes have, in the order of their first appearance.
  var classMetricNames: [String] {
    var seen: Set<String> = []
    return classes.flatMap(\.metrics).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension ConfusionResult {
  /// A class that was taken for another.
  struct Misclassification: Hashable {
    let actual: String
    let predicted: String
    let count: Int
  }

  /// What was taken for what most often; of equals, the first in the labels' order.
  func mostFrequentMisclassifications(_ limit: Int) -> [Misclassification] {
    misclassifiedCells.sorted { ($1.count, $0.actual, $0.predicted) < ($0.count, $1.actual, $1.predicted) }
      .prefix(limit)
      .map { Misclassification(actual: labels[$0.actual], predicted: labels[$0.predicted], count: $0.count) }
  }

  /// The cells off the diagonal, of which a matrix made by hand may have some outside of it.
  private var misclassifiedCells: [Cell] {
    cells.filter {
      $0.actual != $0.predicted && labels.indices.contains($0.actual)
        && labels.indices.contains($0.predicted)
    }
  }

  /// The classes that were most often taken for others or others for them, in the labels' order.
  func mostConfused(_ limit: Int) -> ConfusionResult {
    guard labels.count > limit else { return self }
    var weights = [Double](repeating: 0, count: labels.count)
    for cell in misclassifiedCells {
      weights[cell.actual] += Double(cell.count)
      weights[cell.predicted] += Double(cell.count)
    }
    let places = labels.indices.sorted { (weights[$1], Double($0)) < (weights[$0], Double($1)) }
      .prefix(limit)
      .sorted()
    return restricted(to: places)
  }

  private func restricted(to places: [Int]) -> ConfusionResult {
    let new = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
    return ConfusionResult(
      labels: places.map { labels[$0] },
      cells: cells.compactMap { cell in
        guard let truth = new[cell.actual], let found = new[cell.predicted] else { return nil }
        return Cell(actual: truth, predicted: found, count: cell.count)
      })
  }
}
