public import TensorIOCore

/// Whether the right label is among the first that a model names.
///
/// `TopLabels.fiveAboveThreshold` is the original library's `EvaluationMetricAccuracyTop5`, which
/// called its figure `classification_accuracy`.
public struct TopLabels: ExampleMetric {
  /// The figure's name.
  public let name: String
  /// The output that holds labels and scores.
  public let output: String
  /// What the data calls the right label.
  public let truth: String
  /// How many labels a model may name.
  public let count: Int
  /// What a label's score must be above; nothing unless told.
  public let threshold: Float?

  /// The share of the examples whose label is among the first `count` above a threshold.
  public init(
    _ name: String, output: String, truth: String, count: Int, above threshold: Float? = nil
  ) {
    (self.name, self.output, self.truth) = (name, output, truth)
    (self.count, self.threshold) = (count, threshold)
  }

  /// `top5-threshold`: the right label is among the first five, with a score above 0.1.
  public static func fiveAboveThreshold(
    output: String = "classification", truth: String = "label"
  ) -> TopLabels {
    TopLabels("top5-threshold", output: output, truth: truth, count: 5, above: 0.1)
  }

  /// 1 for an example whose label is named, 0 for another.
  public func evaluate(
    _ output: ModelOutput, truth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    guard let right = truth[self.truth] else {
      throw ModelError(.input, .unreadableValue("the right label is missing"), layer: self.truth)
    }
    let named = try output[self.output].top(count, above: threshold)
    let isNamed = try named.contains(where: Self.test(for: right))
    return [name: isNamed ? 1 : 0]
  }

  /// The mean, as a share.
  public func reduce(_ examples: [[String: Double]]) -> [Figure] {
    [.share(name, examples.compactMap { $0[name] }.mean)].compactMap(\.self)
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
