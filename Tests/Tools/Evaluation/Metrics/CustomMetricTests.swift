import TensorIOCore
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

/// A metric as an application might define it.
private struct WithinTenPercent: CustomMetric {
  func evaluate(
    _ output: ModelOutput, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    guard let price = groundTruth["price"]?.number else { return [:] }
    let predicted = try Double(output["price"])
    return ["within10": abs(predicted - price) <= price / 10 ? 1 : 0, "predicted": predicted]
  }
}

@Suite struct CustomMetricTests {
  private func output(_ name: String, _ value: LayerValue) -> ModelOutput {
    ModelOutput(layers: [ModelOutput.Layer(name: name, value: value)])
  }

  @Test func `A custom metric is averaged over the examples that have a value`() throws {
    var metric = CustomMetricAccumulator(WithinTenPercent())
    for (predicted, price) in [(95.0, 100.0), (80, 100), (10, 10)] {
      try metric.add(output("price", .number(predicted)), groundTruth: ["price": .number(price)])
    }
    try metric.add(output("price", .number(9)), groundTruth: [:])
    #expect(metric.examples.count == 4)
    #expect(metric.values.map(\.name) == ["predicted", "within10"])
    #expect(agree(metric.values.map(\.value), [185.0 / 3, 2.0 / 3]))
  }

  @Test func `An example that throws does not change the metric`() {
    var metric = CustomMetricAccumulator(WithinTenPercent())
    #expect(throws: ModelError.self) {
      try metric.add(output("other", .number(1)), groundTruth: ["price": .number(1)])
    }
    #expect(metric.examples.isEmpty && metric.values.isEmpty)
  }

  /// Scores of seven labels: one is exactly 0.1, and two share the fifth rank.
  private static let labels = ["a", "b", "c", "d", "e", "f", "g"]
  private static let scores: [Float] = [0.1, 0.2, 0.25, 0.11, 0.15, 0.11, 0.3]

  @Test(arguments: [("a", 0.0), ("b", 1), ("c", 1), ("d", 1), ("e", 1), ("f", 0), ("g", 1)])
  func `The five highest labels above the threshold count`(label: String, value: Double) throws {
    let classification = Classification(labels: Self.labels, scores: Self.scores)
    let output = output("classification", .classification(classification))
    let index = try #require(Self.labels.firstIndex(of: label))
    for groundTruth in [LayerValue.strings([label]), .number(Double(index))] {
      var metric = CustomMetricAccumulator(TopLabelAccuracy.top5AboveThreshold())
      try metric.add(output, groundTruth: ["label": groundTruth])
      #expect(
        metric.values == [MetricValue("top5-threshold", value, unit: .fraction, direction: .higher)]
      )
    }
  }

  @Test func `The highest score does not count below the threshold`() throws {
    let classification = Classification(labels: ["a", "b"], scores: [0.09, 0.05])
    var metric = CustomMetricAccumulator(TopLabelAccuracy.top5AboveThreshold())
    try metric.add(
      output("classification", .classification(classification)), groundTruth: ["label": .number(0)])
    #expect(metric.values.first?.value == 0)
  }

  @Test func `A missing or invalid label is an error`() {
    let metric = TopLabelAccuracy.top5AboveThreshold()
    let output = output(
      "classification", .classification(Classification(labels: ["a"], scores: [1])))
    #expect(throws: ModelError.self) { try metric.evaluate(output, groundTruth: [:]) }
    #expect(throws: ModelError.self) {
      try metric.evaluate(output, groundTruth: ["label": .number(0.5)])
    }
  }
}
