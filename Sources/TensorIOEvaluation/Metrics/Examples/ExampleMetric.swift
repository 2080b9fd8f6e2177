public import TensorIOCore

/// A metric of your own: judges every example by itself, and then all of them together.
///
///     struct WithinTenPercent: ExampleMetric {
///       func evaluate(
///         _ output: ModelOutput, truth: [String: LayerValue]
///       ) throws(ModelError) -> [String: Double] {
///         guard let right = truth["price"]?.number else { return [:] }
///         let found = try Double(output["price"])
///         return ["within10": abs(found - right) <= right / 10 ? 1 : 0]
///       }
///     }
public protocol ExampleMetric: Sendable {
  /// The figures of one example: what the model gave, and what the data says of it by name.
  func evaluate(
    _ output: ModelOutput, truth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double]

  /// The figures of all examples; the mean of each figure unless you write it.
  func reduce(_ examples: [[String: Double]]) -> [Figure]
}

extension ExampleMetric {
  /// The mean of each figure over the examples that have it, in order of the names.
  public func reduce(_ examples: [[String: Double]]) -> [Figure] {
    var means: [String: RunningMean] = [:]
    for (name, value) in examples.joined() { means[name, default: RunningMean()].add(value) }
    return means.sorted { $0.key < $1.key }.compactMap { name, mean in
      mean.value.map { Figure(name, $0) }
    }
  }
}

/// A metric of one's own at work; it keeps the figures of every example for the end.
public struct CollectedMetric: Metric {
  /// What judges.
  public let metric: any ExampleMetric
  /// The figures of each example.
  public private(set) var examples: [[String: Double]] = []

  /// A judge without examples.
  public init(_ metric: any ExampleMetric) {
    self.metric = metric
  }

  /// Takes an example into account; one that cannot be judged leaves no trace.
  public mutating func add(
    _ output: ModelOutput, truth: [String: LayerValue]
  ) throws(ModelError) {
    examples.append(try metric.evaluate(output, truth: truth))
  }

  /// The figures of all examples.
  public var figures: [Figure] { metric.reduce(examples) }
}
