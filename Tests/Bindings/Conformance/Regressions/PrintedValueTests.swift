import TensorIO
import TensorIOCore
import Testing

/// The descriptions of values and outputs.
@Suite struct PrintedValueTests {
  @Test func `Labels are printed with their scores, highest first`() {
    let classification = Classification(labels: ["cat", "dog"], scores: [0.25, 0.5])
    #expect("\(LayerValue.classification(classification))" == "[dog 0.5, cat 0.25]")
    #expect("\(classification.top(1))" == "[dog 0.5]")
  }

  @Test func `Numbers are printed as a list, shortened with the total count`() {
    #expect("\([1, 2.5].layerValue)" == "[1.0, 2.5]")
    #expect("\(7.layerValue)" == "7")
    #expect("\([Int](1...100).layerValue)" == "[1, 2, 3, 4, 5, 6, 7, 8, … 100 in total]")
  }

  @Test func `An output is printed with one line per layer`() {
    let output = ModelOutput(layers: [
      .init(name: "a", value: 1.5.layerValue), .init(name: "b", value: true.layerValue),
    ])
    #expect("\(output)" == "a: 1.5\nb: true")
  }
}
