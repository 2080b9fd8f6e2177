import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOONNX

@Suite struct ONNXBindingTests {
  private func load(
    _ name: String, inputs: [Layer], outputs: [Layer]
  ) throws(ModelError) -> any RuntimeModel {
    let description = ModelDescription(inputs: inputs, outputs: outputs)
    return try ONNXModels.backend.load(
      ONNXModels.file(name), for: ModelBinding(description, mode: .predict, threads: 2))
  }

  private func layer(_ name: String, _ shape: TensorShape) -> Layer {
    Layer(name: name, kind: .array(NumericLayer(shape: shape)))
  }

  @Test func `Layers are bound by name, and outputs may be left out or reordered`() throws {
    let x = layer("x", [-1, 4])
    let model = try load(
      "classes-named", inputs: [x],
      outputs: [layer("probabilities", [-1, 3]), layer("label", [-1])])
    #expect(model.signature.outputs.map(\.name) == ["probabilities", "label"])
    #expect(model.signature.outputs.map(\.elementType) == [.float32, .string])
    #expect(model.signatures.first?.outputs.map(\.name) == ["label", "probabilities"])
    let one = try load("classes-named", inputs: [x], outputs: [layer("label", [-1])])
    let session = try one.makeSession(SessionOptions(threads: 2))
    try session.fill(with: [1, 2, 3, 4] as [Float])
    try session.invoke()
    #expect(try session.readStrings(0).count == 1)
  }

  @Test func `A name that the model does not have is reported with the closest one`() throws {
    let error = try #require(throws: ModelError.self) {
      try load(
        "classes-named", inputs: [layer("x", [-1, 4])],
        outputs: [layer("probabilitys", [-1, 3])])
    }
    guard let diagnostics = error.diagnostics(of: ModelError.invalidDescription) else {
      throw error
    }
    #expect(diagnostics.map(\.path) == ["/outputs/0/name"])
    #expect(diagnostics[0].suggestion == "did you mean 'probabilities'?")
  }

  @Test func `An input without a layer is reported`() throws {
    let error = try #require(throws: ModelError.self) {
      try load("linear-batch", inputs: [], outputs: [layer("y", [-1, 3])])
    }
    guard let diagnostics = error.diagnostics(of: ModelError.invalidDescription) else {
      throw error
    }
    #expect(diagnostics.map(\.path) == ["/inputs"])
    #expect(diagnostics[0].message.contains("'x'"))
  }

  @Test func `A free dimension takes the length that the layer declares`() throws {
    let model = try load(
      "color-means", inputs: [layer("image", [1, 3, 4, 4])], outputs: [layer("y", [1, 3])])
    #expect(model.signature.inputs[0].shape == TensorShape([nil, 3, 4, 4]))
    let session = try model.makeSession(SessionOptions())
    try session.fill(with: [Float](repeating: 2, count: 48))
    try session.invoke()
    #expect(try session.output(as: Float.self).numbers == [2, 2, 2])
  }

  @Test func `The metadata of a file is read`() throws {
    let metadata = try ONNXModels.model("metadata").metadata
    #expect(metadata.producer == "tensorio")
    #expect(metadata.entries["task"] == "classify")
    #expect(metadata.entries["imgsz"] == "[4, 4]")
    #expect(metadata.classNames.isEmpty)
  }
}
