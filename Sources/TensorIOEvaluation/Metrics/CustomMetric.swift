public import TensorIOBundle
public import TensorIOCore

/// A metric of your own: judges every example by itself, and then all of them together.
///
///     struct WithinTenPercent: CustomMetric {
///       func evaluate(
///         _ output: ModelOutput, truth: [String: LayerValue]
///       ) throws(ModelError) -> [String: Double] {
///         guard let right = truth["price"]?.number else { return [:] }
///         let found = try Double(output["price"])
///         return ["within10": abs(found - right) <= right / 10 ? 1 : 0]
///       }
///     }
public protocol CustomMetric: Sendable {
  /// The figures of one example: what the model gave, and what the data says of it by name.
  func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double]

  /// The figures of all examples; the mean of each figure unless you write it.
  func reduce(_ examples: [[String: Double]]) -> [MetricValue]
}

extension CustomMetric {
  /// The mean of each figure over the examples that have it, in order of the names.
  public func reduce(_ examples: [[String: Double]]) -> [MetricValue] {
    var means: [String: RunningMean] = [:]
    for (name, value) in examples.joined() { means[name, default: RunningMean()].add(value) }
    return means.sorted { $0.key < $1.key }.compactMap { name, mean in
      mean.value.map { MetricValue(name, $0) }
    }
  }
}

/// A metric of one's own at work; it keeps the figures of every example for the end.
public struct CustomMetricAccumulator: Metric {
  /// What judges.
  public let metric: any CustomMetric
  /// The figures of each example.
  public private(set) var examples: [[String: Double]] = []

  /// A judge without examples.
  public init(_ metric: any CustomMetric) {
    self.metric = metric
  }

  /// Takes an example into account; one that cannot be judged leaves no trace.
  public mutating func add(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) {
    examples.append(try metric.evaluate(output, groundTruth: groundTruth))
  }

  /// The figures of all examples.
  public var values: [MetricValue] { metric.reduce(examples) }
}

/// Whether the right label is among the first that a model names.
///
/// `TopLabelAccuracy.fiveAboveThreshold` is the original library's `EvaluationMetricAccuracyTop5`, which
/// called its figure `classification_accuracy`.
public struct TopLabelAccuracy: CustomMetric {
  /// The figure's name.
  public let name: String
  /// The output that holds labels and scores.
  public let output: String
  /// What the data calls the right label.
  public let groundTruthName: String
  /// How many labels a model may name.
  public let count: Int
  /// What a label's score must be above; nothing unless told.
  public let threshold: Float?

  /// The share of the examples whose label is among the first `count` above a threshold.
  public init(
    _ name: String, output: String, groundTruth: String, count: Int, above threshold: Float? = nil
  ) {
    (self.name, self.output, self.groundTruthName) = (name, output, groundTruth)
    (self.count, self.threshold) = (count, threshold)
  }

  /// `top5-threshold`: the right label is among the first five, with a score above 0.1.
  public static func top5AboveThreshold(
    output: String = "classification", groundTruth: String = "label"
  ) -> TopLabelAccuracy {
    TopLabelAccuracy("top5-threshold", output: output, groundTruth: groundTruth, count: 5, above: 0.1)
  }

  /// 1 for an example whose label is named, 0 for another.
  public func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    guard let right = groundTruth[groundTruthName] else {
      throw ModelError(.input, .invalidValue("the right label is missing"), layer: self.groundTruthName)
    }
    let named = try output[self.output].top(count, above: threshold)
    let isNamed = try named.contains(where: Self.test(for: right))
    return [name: isNamed ? 1 : 0]
  }

  /// The mean, as a share.
  public func reduce(_ examples: [[String: Double]]) -> [MetricValue] {
    [.fraction(name, examples.compactMap { $0[name] }.mean)].compactMap(\.self)
  }

  /// A label is told by its text or by its place in the output.
  private static func test(
    for truth: LayerValue
  ) throws(ModelError) -> (Classification.Entry) -> Bool {
    if case .strings = truth {
      let label = try String(truth)
      return { $0.label == label }
    }
    let index = try Int(truth)
    return { $0.index == index }
  }
}

/// Judges by a metric of the application's own, or by one that works as those do.
struct CustomMetricEvaluator: Evaluator {
  private let metric: any CustomMetric
  private var examples: [[String: Double]] = []

  init(_ metric: any CustomMetric) {
    self.metric = metric
  }

  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let figures = try metric.evaluate(output, groundTruth: example.groundTruth.namedValues).sorted {
      $0.key < $1.key
    }
    return ItemScore(figures.map(\.value), names: figures.map(\.key))
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    guard judgement.names.count == judgement.values.count else { throw ItemScore.malformed(item) }
    examples.append(
      Dictionary(zip(judgement.names, judgement.values), uniquingKeysWith: { first, _ in first }))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.reduce(examples)
  }
}

extension EvaluationExample.GroundTruth {
  /// What is right, as values by name; boxes and masks are none.
  fileprivate var namedValues: [String: LayerValue] {
    switch self {
    case .values(let values): values
    case .labels(let labels):
      labels.compactMapValues(\.first).mapValues { .strings([Array($0.utf8)]) }
    case .boxes, .mask: [:]
    }
  }
}
