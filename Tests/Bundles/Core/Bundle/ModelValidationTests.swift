import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOJSON

/// Validation that requires loading the bundle's model.
@Suite struct ModelValidationTests {
  private static let labeled =
    #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#

  private func check(_ bundle: TestBundle, on model: FakeModel = .pair) -> ValidationReport {
    BundleValidator(runner: { _ throws(ModelError) in .runtime(FakeBackend(model)) })
      .validate(bundle.path)
  }

  @Test func `A bundle that matches its model has no diagnostics`() throws {
    let report = check(try TestBundle(examples: #"[{"input": [1, 2], "output": {"y": [1, 2]}}]"#))
    #expect(report.diagnostics == [] && report.loadError == nil)
  }

  @Test func `A mismatch is reported at the line and column of the declaration`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [3]}"#, outputs: Self.labeled,
      labels: "one\n")
    let report = check(bundle)
    #expect(report.diagnostics.map(\.code) == ["tensor-shape", "label-count"])
    #expect(report.diagnostics.map(\.line) == [5, 6])
    #expect(report.diagnostics.map(\.column) == [54, 70])
    #expect(!report.isValid)
  }

  @Test func `Opening a mismatched model reports the line and column`() throws {
    let bundle = try TestBundle(inputs: #"{"name": "x", "type": "array", "shape": [3]}"#)
    let error = #expect(throws: ModelError.self) { try bundle.open(.pair) }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidDescription) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.line) == [5])
  }

  @Test(arguments: [("no\nyes\n", nil), ("no\n", "1"), ("no\nyes\nboth\n", "3")])
  func `The number of labels must match the number of values`(labels: String, found: String?) throws
  {
    let report = check(try TestBundle(outputs: Self.labeled, labels: labels))
    #expect(report.diagnostics.map(\.code) == (found == nil ? [] : ["label-count"]))
    #expect(report.diagnostics.first?.found == found)
    #expect(report.isValid)
  }

  @Test func `Examples are run only if there are no other errors`() throws {
    let example = #"[{"input": [1, 2], "output": {"y": [2, 1]}}]"#
    let report = check(try TestBundle(examples: example))
    #expect(report.diagnostics.map(\.code) == ["example-mismatch"])
    #expect(report.diagnostics.map(\.line) == [7])
    let mismatched = check(
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [3]}"#, examples: example))
    #expect(mismatched.diagnostics.map(\.code) == ["tensor-shape"])
  }

  private static func tensor(_ name: String, _ shape: [Int]) -> TensorInfo {
    TensorInfo(name: name, elementType: .float32, shape: TensorShape(signedDimensions: shape))
  }

  @Test func `A model that fails on generated values is an error`() throws {
    let failing = FakeModel(inputs: [Self.tensor("x", [2])], outputs: [Self.tensor("y", [2])]) {
      _ throws(ModelError) in throw ModelError(.run, .failed("a variable is uninitialized"))
    }
    let report = check(try TestBundle(), on: failing)
    #expect(report.diagnostics.map(\.code) == ["trial-failed"])
    #expect(report.diagnostics.first?.message.contains("a variable is uninitialized") == true)
    #expect(!report.isValid)
  }

  @Test func `A model of free lengths that fails on generated values is a warning`() throws {
    let failing = FakeModel(
      inputs: [Self.tensor("x", [-1, -1])], outputs: [Self.tensor("y", [-1, 2])]
    ) { _ throws(ModelError) in throw ModelError(.run, .failed("not a multiple of 32")) }
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,-1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,2]}"#)
    let report = check(bundle, on: failing)
    #expect(report.diagnostics.map(\.code) == ["trial-failed"])
    #expect(report.isValid)
  }

  @Test func `Axes in another order are an error, and a vector fits any shape`() throws {
    let model = FakeModel.identity(Self.tensor("x", [1, 80, 3000]))
    let bundle = { (shape: String) in
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": \#(shape)}"#,
        outputs: #"{"name": "y", "type": "array", "shape": [240000]}"#)
    }
    let transposed = check(try bundle("[1,3000,80]"), on: model)
    #expect(transposed.diagnostics.map(\.code) == ["tensor-shape"])
    #expect(!transposed.isValid)
    #expect(check(try bundle("[80,3000]"), on: model).isValid)
    #expect(check(try bundle("[240000]"), on: model).isValid)
  }

  @Test func `The states of all tokens are no embedding`() throws {
    let model = FakeModel(
      inputs: [Self.tensor("x", [-1, 2])], outputs: [Self.tensor("y", [-1, -1, 4])]
    ) { inputs in inputs }
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,2]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,-1,4], "role": "embedding"}"#,
      extra: #""task": {"type": "embedding"}"#)
    #expect(check(bundle, on: model).diagnostics.map(\.code) == ["tensor-shape"])
    #expect(throws: ModelError.self) { try bundle.open(model) }
  }

  @Test func `State that grows is an error, whether its length is declared or not`() throws {
    let model = FakeModel(
      inputs: [Self.tensor("x", [1, 2]), Self.tensor("past", [-1, -1, 4])],
      outputs: [Self.tensor("y", [1, 2]), Self.tensor("present", [-1, -1, 4])]
    ) { inputs in [inputs[0], inputs[1] + inputs[1]] }
    let bundle = { (length: String) in
      try TestBundle(
        inputs: """
          {"name": "x", "type": "array", "shape": [1,2]},
          {"name": "past", "type": "array", "shape": [-1,\(length),4]}
          """,
        outputs: """
          {"name": "y", "type": "array", "shape": [1,2]},
          {"name": "present", "type": "array", "shape": [-1,\(length),4]}
          """, extra: #""state": [{"output": "present", "input": "past"}]"#)
    }
    #expect(check(try bundle("-1"), on: model).diagnostics.map(\.code) == ["tensor-shape"])
    var growing = model
    growing.outputShapes = [[1, 2], [1, 2, 4]]
    let found = check(try bundle("1"), on: growing).diagnostics
    #expect(found.map(\.code) == ["trial-failed"], "\(found)")
  }

  @Test func `The message of an invalid description is that of an error`() {
    let diagnostics = [
      Diagnostic(.warning, .labelCount, path: "/a", message: "harmless"),
      Diagnostic(.error, .tensorShape, path: "/b", message: "harmful"),
    ]
    let error = ModelError(.bundle, .invalidDescription(diagnostics))
    #expect(error.code == "tensor-shape")
    #expect(error.message.contains("harmful") && !error.message.contains("harmless"))
  }

  @Test func `An error in loading the model is reported`() throws {
    let rejection = ModelError(.runtime, .modelRejected(detail: "unknown operator"))
    let bundle = try TestBundle()
    let report = BundleValidator(runner: { _ throws(ModelError) in
      .runtime(FakeBackend(failingWith: rejection))
    })
    .validate(bundle.path)
    #expect(report.loadError == rejection)
    #expect(report.diagnostics.map(\.code) == ["model-rejected"])
    let missing = BundleValidator(runner: { _ throws(ModelError) in throw rejection })
      .validate(bundle.path)
    #expect(missing.loadError == rejection)
  }

  private struct Doubler: ModelRunner {
    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      let numbers = try input.values(for: ["x"])[0].value(as: [Float].self)
      return ModelOutput(layers: [.init(name: "y", value: numbers.map { 2 * $0 }.layerValue)])
    }
  }

  @Test(arguments: [("[2, 4]", 0), ("[2, 5]", 1)])
  func `Examples are run with an application's own model`(
    expected: String, count: Int
  ) throws {
    let bundle = try TestBundle(
      model: #""file": "model.tflite", "quantized": false, "backend": "tflite", "class": "Double""#,
      examples: #"[{"input": [1, 2], "output": {"y": \#(expected)}}]"#)
    let report = BundleValidator(runner: { _ throws(ModelError) in .application(Doubler()) })
      .validate(bundle.path)
    #expect(report.diagnostics.count == count)
  }

  // MARK: Additional checks

  private struct CheckError: Error, Equatable {}

  @Test func `An additional check receives a valid bundle and adds diagnostics`() throws {
    let test = try TestBundle()
    let report = BundleValidator(runner: nil).validate(test.path) { bundle in
      #expect(bundle.name == "Test" && bundle.id == "test")
      return [
        Diagnostic(.error, code: "two-inputs", path: "/inputs", message: "two inputs are required")
      ]
    }
    #expect(report.diagnostics.map(\.code) == ["two-inputs"])
    #expect(report.diagnostics.map(\.line) == [5])
    #expect(!report.isValid)
  }

  @Test func `An error of an additional check is rethrown`() throws {
    let bundle = try TestBundle()
    #expect(throws: CheckError()) {
      try BundleValidator(runner: nil).validate(bundle.path) { _ throws(CheckError) in
        throw CheckError()
      }
    }
  }

  @Test func `An additional check is not called for an invalid bundle`() throws {
    let bundle = try TestBundle(inputs: "{}")
    let report = try BundleValidator(runner: nil).validate(bundle.path) { _ throws(CheckError) in
      throw CheckError()
    }
    #expect(!report.isValid)
  }
}

extension ModelValidationTests {
  /// A declared quantization, that of its tensor, and whether they differ by too much.
  struct QuantizationPair: CustomTestStringConvertible {
    let code: Quantization
    let type: ElementType
    let tensor: TensorQuantization
    var isInput = false
    var isMismatch = false

    var testDescription: String { "\(code) over \(type) \(tensor.scale) \(tensor.zeroPoint)" }
  }

  static let quantizationPairs: [QuantizationPair] = [
    QuantizationPair(
      code: .standard(.zeroToOne), type: .uint8, tensor: .init(scale: 1 / 256, zeroPoint: 0)),
    QuantizationPair(
      code: .standard(.zeroToOne), type: .uint8, tensor: .init(scale: 1 / 128, zeroPoint: 0),
      isMismatch: true),
    QuantizationPair(
      code: .standard(.minusOneToOne), type: .uint8, tensor: .init(scale: 1 / 128, zeroPoint: 128),
      isInput: true),
    QuantizationPair(
      code: .standard(.zeroToOne), type: .uint8, tensor: .init(scale: 1 / 128, zeroPoint: 128),
      isInput: true, isMismatch: true),
    QuantizationPair(
      code: .affine(scale: 1 / 255, bias: 0), type: .uint8,
      tensor: .init(scale: 1 / 255, zeroPoint: 0)),
    QuantizationPair(
      code: .affine(scale: 1 / 255, bias: 0), type: .uint8,
      tensor: .init(scale: 1 / 256, zeroPoint: 0), isMismatch: true),
    QuantizationPair(
      code: .affine(scale: 255, bias: 0), type: .uint8, tensor: .init(scale: 1 / 255, zeroPoint: 0),
      isInput: true),
    QuantizationPair(
      code: .affine(scale: 0.5, bias: 3), type: .int8, tensor: .init(scale: 0.5, zeroPoint: -6)),
    QuantizationPair(
      code: .affine(scale: 0.5, bias: 3.3), type: .int8, tensor: .init(scale: 0.5, zeroPoint: -6),
      isMismatch: true),
    QuantizationPair(code: .model, type: .int8, tensor: .init(scale: 0.5, zeroPoint: -6)),
  ]

  @Test(arguments: quantizationPairs)
  func `A quantization that differs from the tensor's is reported`(pair: QuantizationPair) {
    let layer = NumericLayer(
      shape: [4], quantize: pair.isInput ? pair.code : nil,
      dequantize: pair.isInput ? nil : pair.code)
    let tensor = TensorInfo(
      name: "t", elementType: pair.type, shape: [4], quantization: pair.tensor)
    let diagnostics = LayerValidator(
      Layer(name: "x", kind: .array(layer)), tensor, pair.isInput ? .input(0) : .output(0), true
    ).diagnostics
    #expect(diagnostics.map(\.code) == (pair.isMismatch ? ["quantization-mismatch"] : []))
  }
}
