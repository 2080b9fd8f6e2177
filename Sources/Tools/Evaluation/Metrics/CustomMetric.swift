public import TensorIOBundle
public import TensorIOCore

/// An application-defined metric that evaluates each example and reduces the values.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// struct WithinTenPercent: CustomMetric {
///   func evaluate(
///     _ output: ModelOutput, groundTruth: [String: LayerValue]
///   ) throws(ModelError) -> [String: Double] {
///     guard let price = groundTruth["price"]?.number else { return [:] }
///     let predicted = try Double(output["price"])
///     return ["within10": abs(predicted - price) <= price / 10 ? 1 : 0]
///   }
/// }
/// ```
public protocol CustomMetric: Sendable {
  /// Returns the values of one example by metric name.
  ///
  /// - Parameters:
  ///   - output: The output of the model.
  ///   - groundTruth: The values of the dataset by name.
  /// - Returns: The values, by metric name.
  /// - Throws: A `ModelError` if the output has no value that the metric can use.
  func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double]

  /// Returns the metrics of all examples. The default implementation computes the mean by name.
  func reduce(_ examples: [[String: Double]]) -> [MetricValue]
}

extension CustomMetric {
  /// Returns the mean of each value over the examples that have it, sorted by name.
  public func reduce(_ examples: [[String: Double]]) -> [MetricValue] { .means(of: examples) }
}

extension [MetricValue] {
  /// Returns the mean of each value over the examples that have it, sorted by name.
  static func means(of examples: [[String: Double]]) -> [MetricValue] {
    var means: [String: RunningMean] = [:]
    for (name, value) in examples.joined() { means[name, default: RunningMean()].add(value) }
    return means.sorted { $0.key < $1.key }.compactMap { name, mean in
      mean.value.map { MetricValue(name, $0) }
    }
  }
}

/// Accumulates the values of a custom metric.
public struct CustomMetricAccumulator: Metric {
  /// The custom metric.
  public let metric: any CustomMetric
  /// The values of each example.
  public private(set) var examples: [[String: Double]] = []

  /// Creates an accumulator without examples.
  public init(_ metric: any CustomMetric) {
    self.metric = metric
  }

  /// Adds an example; the accumulator is unchanged if the metric throws.
  public mutating func add(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) {
    examples.append(try metric.evaluate(output, groundTruth: groundTruth))
  }

  /// The metrics of all examples.
  public var values: [MetricValue] { metric.reduce(examples) }
}

/// The fraction of examples whose correct label is among the highest scores above a threshold.
///
/// ``top5AboveThreshold(output:groundTruth:)`` is `EvaluationMetricAccuracyTop5` of the original
/// TensorIO library, which named the metric `classification_accuracy`.
public struct TopLabelAccuracy: CustomMetric {
  /// The name of the metric.
  public let name: String
  /// The name of the output with labels and scores.
  public let output: String
  /// The name of the correct label in the dataset.
  public let groundTruthName: String
  /// The number of highest scores that are considered.
  public let count: Int
  /// The score that a label must exceed; no limit if `nil`.
  public let threshold: Float?

  /// Creates a metric.
  ///
  /// - Parameters:
  ///   - name: The name of the metric.
  ///   - output: The name of the output with labels and scores.
  ///   - groundTruth: The name of the correct label in the dataset.
  ///   - count: The number of highest scores to consider.
  ///   - threshold: The score that a label must exceed.
  public init(
    _ name: String, output: String, groundTruth: String, count: Int, above threshold: Float? = nil
  ) {
    (self.name, self.output, self.groundTruthName) = (name, output, groundTruth)
    (self.count, self.threshold) = (count, threshold)
  }

  /// Returns the metric `top5-threshold`: the correct label has one of the five highest scores, and
  /// the score exceeds 0.1.
  public static func top5AboveThreshold(
    output: String = "classification", groundTruth: String = "label"
  ) -> TopLabelAccuracy {
    TopLabelAccuracy(
      "top5-threshold", output: output, groundTruth: groundTruth, count: 5, above: 0.1)
  }

  /// Returns 1 if the correct label is among the highest scores, otherwise 0.
  public func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    guard let label = groundTruth[groundTruthName] else {
      throw ModelError(
        .input, .invalidValue("the dataset has no such label"), layer: groundTruthName)
    }
    let entries = try output[self.output].top(count, above: threshold)
    let isCorrect = try entries.contains(where: Self.predicate(for: label))
    return [name: isCorrect ? 1 : 0]
  }

  /// Returns the mean as a fraction.
  public func reduce(_ examples: [[String: Double]]) -> [MetricValue] {
    [.fraction(name, examples.compactMap { $0[name] }.mean)].compactMap(\.self)
  }

  /// Returns a predicate that compares the text or the index of a label.
  private static func predicate(
    for groundTruth: LayerValue
  ) throws(ModelError) -> (Classification.Entry) -> Bool {
    if case .strings = groundTruth {
      let label = try String(groundTruth)
      return { $0.label == label }
    }
    let index = try Int(groundTruth)
    return { $0.index == index }
  }
}

/// Evaluates a custom metric.
struct CustomMetricEvaluator: Evaluator {
  private let metric: any CustomMetric
  private var examples: [[String: Double]] = []

  init(_ metric: any CustomMetric) {
    self.metric = metric
  }

  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let values = try metric.evaluate(output, groundTruth: example.groundTruth.namedValues).sorted {
      $0.key < $1.key
    }
    return ItemScore(values.map(\.value), names: values.map(\.key))
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard score.names.count == score.values.count else { throw ItemScore.malformed(item) }
    examples.append(
      Dictionary(zip(score.names, score.values), uniquingKeysWith: { first, _ in first }))
  }

  func itemMetrics() -> [any ItemMetric] { [CustomItems(metric: metric, examples: examples)] }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.reduce(examples)
  }
}

/// A custom metric of items.
private struct CustomItems: ItemMetric {
  let metric: any CustomMetric
  let examples: [[String: Double]]

  var cost: Int { 0 }

  var reasonAgainstIntervals: String? { "a custom metric may take any time to compute" }

  func values(_ weights: [Int32]) -> [MetricValue] {
    metric.reduce(
      zip(examples, weights).flatMap { Array(repeating: $0, count: Int($1)) })
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    CustomItems(metric: metric, examples: items.map { examples[$0] })
  }
}

extension EvaluationExample.GroundTruth {
  /// The ground truth as values by name; empty for ground truth of other kinds.
  fileprivate var namedValues: [String: LayerValue] {
    switch self {
    case .values(let values): values
    case .labels(let labels):
      labels.compactMapValues(\.first).mapValues { .strings([$0]) }
    case .boxes, .mask, .tracks, .answers, .continuations, .entities, .lines, .transcript: [:]
    }
  }
}
