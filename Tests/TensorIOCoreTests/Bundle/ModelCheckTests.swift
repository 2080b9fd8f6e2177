import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOJSON

/// What shows only when a bundle's model is open.
@Suite struct ModelCheckTests {
  private static let labelled =
    #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#

  private func check(_ bundle: TestBundle, on model: FakeModel = .pair) -> ValidationReport {
    BundleValidator { _ throws(ModelError) in .runtime(FakeBackend(model)) }.validate(bundle.path)
  }

  @Test func `a bundle whose model fits has no problems`() throws {
    let report = check(try TestBundle(examples: #"[{"input": [1, 2], "output": {"y": [1, 2]}}]"#))
    #expect(report.diagnostics == [] && report.loadError == nil)
  }

  @Test func `a mismatch stands at the line and column that declares it`() throws {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [3]}"#, outputs: Self.labelled,
      labels: "one\n")
    let report = check(bundle)
    #expect(report.diagnostics.map(\.code) == ["tensor-shape", "label-count"])
    #expect(report.diagnostics.map(\.line) == [5, 6])
    #expect(report.diagnostics.map(\.column) == [54, 70])
    #expect(!report.isValid)
  }

  @Test func `a model refuses a bundle with the line and column, too`() throws {
    let bundle = try TestBundle(inputs: #"{"name": "x", "type": "array", "shape": [3]}"#)
    let error = #expect(throws: ModelError.self) { try bundle.open(.pair) }
    guard case .invalidDescription(let problems) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problems.map(\.line) == [5])
  }

  @Test(arguments: [("no\nyes\n", nil), ("no\n", "1"), ("no\nyes\nboth\n", "3")])
  func `labels are as many as the values that they name`(labels: String, found: String?) throws {
    let report = check(try TestBundle(outputs: Self.labelled, labels: labels))
    #expect(report.diagnostics.map(\.code) == (found == nil ? [] : ["label-count"]))
    #expect(report.diagnostics.first?.found == found)
    #expect(report.isValid)
  }

  @Test func `examples are run when all else is well`() throws {
    let example = #"[{"input": [1, 2], "output": {"y": [2, 1]}}]"#
    let report = check(try TestBundle(examples: example))
    #expect(report.diagnostics.map(\.code) == ["example-mismatch"])
    #expect(report.diagnostics.map(\.line) == [7])
    let unfit = check(
      try TestBundle(
        inputs: #"{"name": "x", "type": "array", "shape": [3]}"#, examples: example))
    #expect(unfit.diagnostics.map(\.code) == ["tensor-shape"])
  }

  @Test func `a model that cannot be opened is the reason why`() throws {
    let refusal = ModelError(.runtime, .modelRejected(detail: "unknown operator"))
    let bundle = try TestBundle()
    let report = BundleValidator { _ throws(ModelError) in .runtime(FakeBackend(failingWith: refusal)) }
      .validate(bundle.path)
    #expect(report.loadError == refusal)
    #expect(report.diagnostics.map(\.code) == ["model-refused"])
    let missing = BundleValidator { _ throws(ModelError) in throw refusal }.validate(bundle.path)
    #expect(missing.loadError == refusal)
  }

  private struct Doubler: ModelRunner {
    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      let numbers = try input.values(for: ["x"])[0].value(as: [Float].self)
      return ModelOutput(layers: [.init(name: "y", value: numbers.map { 2 * $0 }.layerValue)])
    }
  }

  @Test(arguments: [("[2, 4]", 0), ("[2, 5]", 1)])
  func `a model of the application's own is tried on the examples`(
    answer: String, count: Int
  ) throws {
    let bundle = try TestBundle(
      model: #""file": "model.tflite", "quantized": false, "backend": "tflite", "class": "Double""#,
      examples: #"[{"input": [1, 2], "output": {"y": \#(answer)}}]"#)
    let report = BundleValidator { _ throws(ModelError) in .application(Doubler()) }
      .validate(bundle.path)
    #expect(report.diagnostics.count == count)
  }

  // MARK: The caller's own check

  private struct Objection: Error, Equatable {}

  @Test func `the caller's own check sees a valid bundle and adds its problems`() throws {
    let test = try TestBundle()
    let report = BundleValidator().validate(test.path) { bundle, document in
      #expect(bundle.name == "Test" && document.root["id"]?.string == "test")
      return [
        Diagnostic(.error, code: "two-inputs", path: "/inputs", message: "There must be two inputs.")
      ]
    }
    #expect(report.diagnostics.map(\.code) == ["two-inputs"])
    #expect(report.diagnostics.map(\.line) == [5])
    #expect(!report.isValid)
  }

  @Test func `an error of the caller's own check is passed on as it is`() throws {
    let bundle = try TestBundle()
    #expect(throws: Objection()) {
      try BundleValidator().validate(bundle.path) { _, _ throws(Objection) in throw Objection() }
    }
  }

  @Test func `the caller's own check is not asked about a bundle that is invalid`() throws {
    let bundle = try TestBundle(inputs: "{}")
    let report = try BundleValidator().validate(bundle.path) { _, _ throws(Objection) in
      throw Objection()
    }
    #expect(!report.isValid)
  }
}

extension ModelCheckTests {
  /// A declared quantization, its tensor's own, and how many steps the two are apart, where these
  /// are too many.
  struct Distance: CustomTestStringConvertible {
    let code: Quantization
    let type: ElementType
    let own: TensorQuantization
    var isInput = false
    var isFar = false

    var testDescription: String { "\(code) over \(type) \(own.scale) \(own.zeroPoint)" }
  }

  static let distances: [Distance] = [
    Distance(
      code: .standard(.zeroToOne), type: .uint8, own: .init(scale: 1 / 256, zeroPoint: 0)),
    Distance(
      code: .standard(.zeroToOne), type: .uint8, own: .init(scale: 1 / 128, zeroPoint: 0),
      isFar: true),
    Distance(
      code: .standard(.minusOneToOne), type: .uint8, own: .init(scale: 1 / 128, zeroPoint: 128),
      isInput: true),
    Distance(
      code: .standard(.zeroToOne), type: .uint8, own: .init(scale: 1 / 128, zeroPoint: 128),
      isInput: true, isFar: true),
    Distance(
      code: .affine(scale: 1 / 255, bias: 0), type: .uint8,
      own: .init(scale: 1 / 255, zeroPoint: 0)),
    Distance(
      code: .affine(scale: 1 / 255, bias: 0), type: .uint8,
      own: .init(scale: 1 / 256, zeroPoint: 0), isFar: true),
    Distance(
      code: .affine(scale: 255, bias: 0), type: .uint8, own: .init(scale: 1 / 255, zeroPoint: 0),
      isInput: true),
    Distance(
      code: .affine(scale: 0.5, bias: 3), type: .int8, own: .init(scale: 0.5, zeroPoint: -6)),
    Distance(
      code: .affine(scale: 0.5, bias: 3.3), type: .int8, own: .init(scale: 0.5, zeroPoint: -6),
      isFar: true),
    Distance(code: .model, type: .int8, own: .init(scale: 0.5, zeroPoint: -6)),
  ]

  @Test(arguments: distances)
  func `a quantization that is not the tensor's own is told`(each: Distance) {
    let layer = NumericLayer(
      shape: [4], quantize: each.isInput ? each.code : nil,
      dequantize: each.isInput ? nil : each.code)
    let tensor = TensorInfo(
      name: "t", elementType: each.type, shape: [4], quantization: each.own)
    let problems = LayerValidator(
      Layer(name: "x", kind: .array(layer)), tensor, each.isInput ? .input(0) : .output(0), true
    ).diagnostics
    #expect(problems.map(\.code) == (each.isFar ? ["quantization-differs"] : []))
  }
}
