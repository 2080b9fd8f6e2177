import TensorIO
import TensorIOCore
import TensorIOImage
import Testing

@Suite struct LegacyValueTests {
  static let image = try? ImageBuffer.filled(width: 1, height: 1, red: 1, green: 2, blue: 3)

  private func output(_ values: (String, LayerValue)...) -> ModelOutput {
    ModelOutput(layers: values.map { ModelOutput.Layer(name: $0, value: $1) })
  }

  @Test func `Legacy values have the types of TensorIO for iOS`() throws {
    let image = try #require(Self.image)
    let labels = Classification(labels: ["cat", "dog", "cat"], scores: [0.25, 0.5, 0.125])
    let output = output(
      ("price", .numbers(Numbers(.floats([2.5]), shape: [1, 1]))),
      ("scalar", 7.layerValue),
      ("matrix", .numbers(Numbers(.floats([1, 2, 3, 4]), shape: [2, 2]))),
      ("classes", .classification(labels)),
      ("picture", .image(image)), ("bytes", .bytes([1, 2])), ("texts", "a".layerValue))
    #expect(
      output.legacyValues == [
        "price": .number(2.5), "scalar": .number(7), "matrix": .numbers([1, 2, 3, 4]),
        "classes": .scores(["cat": 0.25, "dog": 0.5]), "picture": .image(image),
        "bytes": .bytes([1, 2]), "texts": .strings(["a"]),
      ])
    #expect(output.legacyValues["price"]?.number == 2.5)
    #expect(output.legacyValues["matrix"]?.numbers?.count == 4)
    #expect(output.legacyValues["classes"]?.scores?["cat"] == 0.25)
    #expect(output.legacyValues["picture"]?.image == image)
    #expect(output.legacyValues["bytes"]?.bytes == [1, 2])
    #expect(output.legacyValues["bytes"]?.number == nil)
    #expect(ModelOutput.empty.legacyValues.isEmpty)
  }

  @Test func `A layer with labels and one value keeps its label`() {
    let output = output(("p", .classification(Classification(labels: ["cat"], scores: [0.5]))))
    #expect(output.legacyValues == ["p": .scores(["cat": 0.5])])
  }
}
