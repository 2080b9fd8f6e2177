import Foundation
import TensorIO
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Runs the generated types that are compiled with this target.
@Suite(.ownThreads) struct TypedModelTests {
  private static func bundle(_ name: String) -> String {
    ProjectFiles.path("Examples/Bundles/\(name).tiobundle")
  }

  private static func image(_ name: String) throws -> ImageBuffer {
    try ImageBuffer(contentsOf: bundle("digits") + "/samples/\(name).png")
  }

  @Test func `A call takes an image and returns labels`() async throws {
    let digits = try Digits(at: Self.bundle("digits"))
    let output = try digits(image: Self.image("3-1"))
    #expect(output.label == ._3 && output.label?.description == "3")
    #expect(output.classes.count == 10 && output.classes[0].index == 3)
    #expect(output.classes[0].score == output.classification["3"])
    let file = try Data(contentsOf: URL(filePath: Self.bundle("digits") + "/samples/8-1.png"))
    #expect(try await digits.submit(image: file).label == ._8)
  }

  @Test func `A batch returns an output for each item, in order`() async throws {
    let digits = try Digits(at: Self.bundle("digits"))
    let items = try ["3-1", "8-1", "5-1"].map { Digits.Input(image: try Self.image($0)) }
    #expect(try digits.run(batch: items).map(\.label) == [._3, ._8, ._5])
    #expect(try await digits.submit(batch: items).map(\.label) == [._3, ._8, ._5])
  }

  @Test func `An array of a wrong count is rejected`() throws {
    let model = try TwoInTwoOutQuantized(at: Self.bundle("two-in-two-out-quantized"))
    let error = #expect(throws: ModelError.self) {
      try model(fooFeatures: [1, 2, 3], barFeatures: [Float](repeating: 0, count: 8))
    }
    #expect(error?.code == "wrong-count" && error?.layer == "foo-features")
  }

  @Test func `A bundle with another interface cannot be opened`() throws {
    let path = Self.bundle("shape-detector")
    let error = #expect(throws: ModelError.self) { try Digits(at: path) }
    guard let changes = error?.texts("changes") else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(changes.contains(#"output "classification" is missing"#))
    #expect(changes.contains("the result is detections instead of classes"))
    #expect(error?.file == path)
    let model = try Model(at: path)
    #expect(throws: ModelError.self) { try Digits(model) }
  }

  private static let functions = ProjectFiles.path(
    "Tests/Fixtures/TypedModels/functions.tiobundle")

  @Test func `Functions are called like the model`() async throws {
    let model = try Functions(at: Self.functions)
    #expect(try model(a: [5, 7], b: [2, 10]).y == [7, 17])
    let output = try model.subtract(a: [5, 7], b: [2, 10])
    #expect(output.label == .first && output.y["second"] == -3)
    #expect(try model.default(b: [1, 2], a: [3, 4]).y == [4, 6])
    #expect(try await model.subtract.submit(a: [1, 1], b: [0, 3]).label == .first)
    let items = [Functions.Subtract.Input(a: [0, 1], b: [0, 0])]
    #expect(try model.subtract.run(batch: items).map(\.label) == [.second])
    let alone = try Functions.Subtract(at: Self.functions)
    #expect(try alone(a: [5, 7], b: [2, 10]).label == .first)
  }

  @Test func `A bundle without a function cannot be opened`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/functions.tiobundle"
    try FileManager.default.copyItem(atPath: Self.functions, toPath: path)
    let description = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try folder.write(
      description.replacingOccurrences(of: #""subtract": {"#, with: #""minus": {"#),
      to: "functions.tiobundle/model.json")
    let error = #expect(throws: ModelError.self) { try Functions(at: path) }
    #expect(error?.texts("changes") == [#"function "subtract" is missing"#])
    let other = try Model(at: path)
    #expect(throws: ModelError.self) { try Functions.Subtract(functionOf: other) }
  }

  @Test func `A stream carries the state from run to run`() throws {
    let bundle = try TestBundle(
      inputs: """
        {"name": "x", "type": "array", "shape": [2]},
        {"name": "before", "type": "array", "shape": [2]}
        """,
      outputs: """
        {"name": "sum", "type": "array", "shape": [2]},
        {"name": "after", "type": "array", "shape": [2]}
        """, extra: #""state": [{"output": "after", "input": "before"}]"#)
    let tensors = ["x", "before", "sum", "after"].map {
      TensorInfo(name: $0, elementType: .float32, shape: [1, 2])
    }
    let model = FakeModel(inputs: Array(tensors[..<2]), outputs: Array(tensors[2...])) { inputs in
      let sum = zip(inputs[0].values(of: Float.self), inputs[1].values(of: Float.self)).map(+)
      return [sum.rawBytes, sum.rawBytes]
    }
    let summing = try Summing(bundle.open(model))
    let stream = summing.stream()
    #expect(try stream.run(Summing.Input(x: [1, 2])).sum == [1, 2])
    #expect(try stream.run(Summing.Input(x: [10, 20])).sum == [11, 22])
    #expect(try summing.run(Summing.Input(x: [10, 20])).sum == [10, 20])
    stream.reset()
    #expect(try stream.run(Summing.Input(x: [1, 2])).sum == [1, 2])
  }

  @Test func `A label that the enumeration lacks is an error`() throws {
    enum Animal: String, ModelLabel { case cat, dog }
    let entries = ["dog", "bird"].enumerated().map {
      Classification.Entry(label: $1, score: 1, index: $0)
    }
    #expect(
      throws: ModelError(.output, .wrongType(expected: "a label of Animal", actual: "'bird'"))
    ) {
      try entries.labeled(by: Animal.self)
    }
    #expect(try entries.prefix(1).labeled(by: Animal.self).map(\.label) == [.dog])
  }
}

/// A typed model as it is generated for a bundle with state.
private struct Summing: TypedModel {
  struct Input: ModelInputConvertible, Sendable {
    var x: [Float]
    var modelInput: ModelInput { .named(["x": x.layerValue]) }
  }

  struct Output: TypedModelOutput {
    let sum: [Float]
    let modelOutput: ModelOutput

    init(_ modelOutput: ModelOutput) throws(ModelError) {
      sum = try modelOutput.value(of: "sum")
      self.modelOutput = modelOutput
    }
  }

  static let interface = ModelInterface(["input \"x\": float [2]", "output \"sum\": float [2]"])
  let model: Model

  init(_ model: Model) throws(ModelError) {
    self.model = try model.validated(for: Self.interface)
  }
}
