import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct LayerValidatorTests {
  /// A layer, a tensor, and the expected shape or diagnostic.
  struct Case: CustomTestStringConvertible {
    let layer: Layer
    let tensor: TensorInfo
    var isOutput = false
    var isQuantized = false
    var resolved: [Int]?
    var diagnostic: (severity: Diagnostic.Severity, code: String, key: String)?

    var testDescription: String { "\(layer.shape) over \(tensor.shape) \(tensor.elementType)" }

    func expecting(_ severity: Diagnostic.Severity, _ code: String, _ key: String) -> Case {
      var copy = self
      copy.diagnostic = (severity, code, key)
      return copy
    }

    func output() -> Case {
      var copy = self
      copy.isOutput = true
      return copy
    }

    var diagnostics: [Diagnostic] {
      LayerValidator(layer, tensor, isOutput ? .output(3) : .input(0), isQuantized).diagnostics
    }
  }

  // MARK: Creating cases

  private static func array(
    _ shape: TensorShape, over tensor: TensorShape, as resolved: [Int]? = nil,
    labels: String? = nil
  ) -> Case {
    Case(
      layer: Layer(name: "x", kind: .array(NumericLayer(shape: shape, labelsFile: labels))),
      tensor: TensorInfo(name: "t", elementType: .float32, shape: tensor), resolved: resolved)
  }

  private static func scalar(
    _ shape: TensorShape, over tensor: TensorShape, as resolved: [Int]? = nil
  ) -> Case {
    Case(
      layer: Layer(name: "x", kind: .scalar(NumericLayer(shape: shape))),
      tensor: TensorInfo(name: "t", elementType: .float32, shape: tensor), resolved: resolved)
  }

  private static func image(
    _ shape: TensorShape, over tensor: TensorShape, as resolved: [Int]? = nil,
    type: ElementType = .float32
  ) -> Case {
    let sides = shape.singleItemDimensions.suffix(3)
    let layer = ImageLayer(
      shape: shape, height: sides.first ?? 0, width: sides.dropFirst().first ?? 0,
      format: sides.last == 1 ? .gray : .rgb)
    return Case(
      layer: Layer(name: "x", kind: .image(layer)),
      tensor: TensorInfo(name: "t", elementType: type, shape: tensor), resolved: resolved)
  }

  // MARK: Shapes

  static let fitting: [Case] = [
    array([4], over: [4], as: [4]), array([4], over: [1, 4], as: [1, 4]),
    array([1, 4], over: [4], as: [4]), array([2, 2], over: [1, 4], as: [1, 4]),
    array([4], over: [-1, 4], as: [1, 4]), array([-1, 4], over: [-1, 4], as: [1, 4]),
    array([-1, 4], over: [1, 4], as: [1, 4]), array([4], over: [-1], as: [4]),
    array([1, 1, 4], over: [-1, 4], as: [1, 4]), array([2, 4], over: [-1, 4], as: [2, 4]),
    array([2, 4], over: [-1, -1], as: [2, 4]), array([1], over: [], as: []),
    scalar([1], over: [], as: []), scalar([1], over: [1, 1], as: [1, 1]),
    scalar([], over: [1], as: [1]), scalar([-1, 1], over: [-1, 1], as: [1, 1]),
    image([224, 224, 3], over: [1, 224, 224, 3], as: [1, 224, 224, 3]),
    image([-1, 8, 6, 3], over: [-1, 8, 6, 3], as: [1, 8, 6, 3]),
    image([8, 6, 3], over: [-1, -1, -1, 3], as: [1, 8, 6, 3]),
    image([28, 28, 1], over: [1, 28, 28], as: [1, 28, 28]),
    image([1, 6, 3], over: [1, 1, 6, 3], as: [1, 1, 6, 3]),
  ]

  @Test(arguments: fitting)
  func `A matching layer determines the tensor's shape for one item`(each: Case) {
    #expect(each.layer.itemShape(fitting: each.tensor.shape) == each.resolved)
    #expect(each.diagnostics.isEmpty)
    let encoder = InputEncoder([each.layer], tensors: [each.tensor])
    #expect(encoder.shapes == [each.resolved])
  }

  static let unfitting: [Case] = [
    array([4], over: [5]), array([4], over: [1, 5]), array([4], over: []), array([5], over: [4]),
    array([4], over: [2, 4]), array([8], over: [-1, 4]), array([4], over: [0]),
    array([4], over: [.max, .max]), array([.max, .max], over: [.max, .max]),
    array([2, 2, 4], over: [-1, 4]), scalar([1], over: [2]), scalar([1], over: [0]),
    image([224, 224, 3], over: [1, 3, 224, 224]), image([8, 6, 3], over: [1, 6, 8, 3]),
    image([8, 6, 3], over: [2, 8, 6, 3]), image([8, 6, 3], over: [144]),
    image([8, 6, 3], over: [-1, 3, -1, -1]), image([8, 6, 3], over: [0, 8, 6, 3]),
    array([1001], over: [1, 1000], labels: "labels.txt").output(),
    array([1000], over: [1, 1001]).output(), array([1000], over: [1, 1001], labels: "l"),
    array([2], over: [2, 1001], labels: "labels.txt").output(),
  ]

  @Test(arguments: unfitting)
  func `A layer with another shape is an error at its shape`(each: Case) throws {
    #expect(each.diagnostics.count == 1)
    let diagnostic = try #require(each.diagnostics.first)
    #expect(diagnostic.severity == .error)
    #expect(diagnostic.code == "tensor-shape")
    #expect(diagnostic.path == (each.isOutput ? "/outputs/3/shape" : "/inputs/0/shape"))
    #expect(diagnostic.expected == each.tensor.shape.description)
    #expect(diagnostic.found == each.layer.shape.description)
  }

  // MARK: Other diagnostics

  private static func typed(
    _ declared: ElementType?, over type: ElementType, quantize: Quantization? = nil,
    isQuantized: Bool = false, quantization: TensorQuantization? = nil
  ) -> Case {
    let layer = NumericLayer(shape: [4], elementType: declared, quantize: quantize)
    return Case(
      layer: Layer(name: "x", kind: .array(layer)),
      tensor: TensorInfo(
        name: "t", elementType: type, shape: [4], quantization: quantization),
      isQuantized: isQuantized)
  }

  private static func text(_ declared: ElementType, over type: ElementType) -> Case {
    Case(
      layer: Layer(name: "x", kind: .string(StringLayer(shape: [2], elementType: declared))),
      tensor: TensorInfo(name: "t", elementType: type, shape: [2]),
      isQuantized: type == .uint8)
  }

  private static func read(
    _ dequantize: Quantization, over type: ElementType
  ) -> Case {
    let layer = NumericLayer(shape: [4], elementType: type, dequantize: dequantize)
    return Case(
      layer: Layer(name: "x", kind: .array(layer)),
      tensor: TensorInfo(name: "t", elementType: type, shape: [4]), isOutput: true)
  }

  static let others: [Case] = [
    array([1000], over: [1, 1001], labels: "labels.txt").output()
      .expecting(.warning, "output-truncated", "/outputs/3/shape"),
    typed(.int32, over: .int64).expecting(.error, "tensor-type", "/inputs/0/dtype"),
    typed(.float32, over: .float16).expecting(.error, "tensor-type", "/inputs/0/dtype"),
    typed(.uint8, over: .string).expecting(.error, "tensor-type", "/inputs/0/dtype"),
    text(.uint8, over: .int8).expecting(.error, "tensor-type", "/inputs/0/dtype"),
    typed(nil, over: .uint8).expecting(.warning, "quantized-flag-mismatch", "/inputs/0"),
    typed(nil, over: .float32, isQuantized: true)
      .expecting(.warning, "quantized-flag-mismatch", "/inputs/0"),
    typed(.float32, over: .float32, quantize: .affine(scale: 1, bias: 0))
      .expecting(.warning, "ineffective-quantization", "/inputs/0/quantize"),
    typed(.int8, over: .int8, quantize: .standard(.zeroToOne))
      .expecting(.error, "standard-range-with-int8", "/inputs/0/quantize"),
    typed(.int32, over: .int32, quantize: .standard(.minusOneToOne))
      .expecting(.error, "standard-range-with-int8", "/inputs/0/quantize"),
    read(.standard(.zeroToOne), over: .int8)
      .expecting(.error, "standard-range-with-int8", "/outputs/3/dequantize"),
    typed(.uint8, over: .uint8, quantize: .model)
      .expecting(.error, "missing-tensor-quantization", "/inputs/0/quantize"),
    read(.model, over: .int8).expecting(
      .error, "missing-tensor-quantization", "/outputs/3/dequantize"),
    image([2, 2, 3], over: [2, 2, 3], type: .int32)
      .expecting(.error, "tensor-type", "/inputs/0/type"),
    image([2, 2, 3], over: [2, 2, 3], type: .float64)
      .expecting(.error, "tensor-type", "/inputs/0/type"),
    image([2, 2, 3], over: [2, 2, 3], type: .string).output()
      .expecting(.error, "tensor-type", "/outputs/3/type"),
    image([2, 2, 3], over: [2, 2, 3], type: .uint8)
      .expecting(.warning, "quantized-flag-mismatch", "/inputs/0"),
  ]

  @Test(arguments: others)
  func `A difference is reported with its code and location`(each: Case) throws {
    let expected = try #require(each.diagnostic)
    #expect(each.diagnostics.count == 1)
    let diagnostic = try #require(each.diagnostics.first)
    #expect(diagnostic.severity == expected.severity)
    #expect(diagnostic.code == expected.code)
    #expect(diagnostic.path == expected.key)
    #expect(diagnostic.description.split(whereSeparator: \.isNewline).count == 1)
  }

  static let harmless: [Case] = [
    typed(nil, over: .float32), typed(nil, over: .uint8, isQuantized: true),
    typed(nil, over: .int8, isQuantized: true), typed(nil, over: .int64),
    typed(nil, over: .int32, isQuantized: true), typed(.uint8, over: .uint8),
    typed(.uint8, over: .uint8, quantize: .standard(.zeroToOne)),
    typed(.int8, over: .int8, quantize: .affine(scale: 1, bias: 0)),
    typed(
      .int8, over: .int8, quantize: .model,
      quantization: TensorQuantization(scale: 1, zeroPoint: 0)),
    image([2, 2, 3], over: [2, 2, 3], type: .float16), text(.uint8, over: .string),
    text(.float32, over: .string), text(.uint8, over: .uint8),
  ]

  @Test(arguments: harmless)
  func `A matching layer has no diagnostics`(each: Case) {
    #expect(each.diagnostics.isEmpty)
  }
}
