import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct NumberEncoderTests {
  /// A value, a tensor's type, and the expected bytes.
  struct Case: CustomTestStringConvertible {
    let value: LayerValue
    let type: ElementType
    let bytes: [UInt8]

    init<Element: BitwiseCopyable>(
      _ value: some LayerValueConvertible, _ type: ElementType, _ elements: [Element]
    ) {
      self.value = value.layerValue
      self.type = type
      bytes = elements.rawBytes
    }

    var testDescription: String { "\(value) over \(type)" }
  }

  static let fitting: [Case] = floats + doubles + integers + truths + others

  private static let floats = [
    Case([1.5, -2] as [Float], .float32, [1.5, -2] as [Float]),
    Case([1.5, -2] as [Float], .float64, [1.5, -2] as [Double]),
    Case([1.5, -2] as [Float], .float16, [0x3E00, 0xC000] as [UInt16]),
    Case([.nan, .infinity] as [Float], .float32, [.nan, .infinity] as [Float]),
    Case([1, 255] as [Float], .uint8, [1, 255] as [UInt8]),
    Case([0.5, 254.6] as [Float], .uint8, [0, 255] as [UInt8]),
    Case([-0.5, -127.6] as [Float], .int8, [-1, -128] as [Int8]),
    Case([1, -2] as [Float], .int16, [1, -2] as [Int16]),
    Case([1, -2] as [Float], .int32, [1, -2] as [Int32]),
    Case([1, -2] as [Float], .int64, [1, -2] as [Int64]),
    Case([1, 0] as [Float], .bool, [true, false]),
  ]

  private static let doubles = [
    Case([0.1, -2] as [Double], .float32, [0.1, -2] as [Float]),
    Case([0.1, -2] as [Double], .float64, [0.1, -2] as [Double]),
    Case([65504, -.infinity] as [Double], .float16, [0x7BFF, 0xFC00] as [UInt16]),
    Case([0, 127.5] as [Double], .uint8, [0, 127] as [UInt8]),
    Case([0x1p52, -1] as [Double], .int64, [1 << 52, -1] as [Int64]),
    Case([-0.0, 1] as [Double], .bool, [false, true]),
  ]

  private static let integers = [
    Case([1, -2], .float32, [1, -2] as [Float]),
    Case([1, -2], .float64, [1, -2] as [Double]),
    Case([1, -2], .float16, [0x3C00, 0xC000] as [UInt16]),
    Case([0, 255], .uint8, [0, 255] as [UInt8]),
    Case([-128, 127], .int8, [-128, 127] as [Int8]),
    Case([-32768, 32767], .int16, [-32768, 32767] as [Int16]),
    Case([.min, .max] as [Int32], .int32, [.min, .max] as [Int32]),
    Case([.min, .max] as [Int64], .int64, [.min, .max] as [Int64]),
    Case([.max - 1, .min + 1], .int64, [.max - 1, .min + 1] as [Int64]),
    Case([1, 0] as [UInt8], .bool, [true, false]),
    Case([1, 2] as [UInt16], .int64, [1, 2] as [Int64]),
    Case([1, .max] as [UInt32], .int64, [1, 4_294_967_295] as [Int64]),
  ]

  private static let truths =
    [ElementType.bool, .uint8, .int8].map { Case([true, false], $0, [1, 0] as [UInt8]) }
    + [
      Case([true, false], .float32, [1, 0] as [Float]),
      Case([true, false], .float64, [1, 0] as [Double]),
      Case([true, false], .float16, [0x3C00, 0] as [UInt16]),
      Case([true, false], .int16, [1, 0] as [Int16]),
      Case([true, false], .int32, [1, 0] as [Int32]),
      Case([true, false], .int64, [1, 0] as [Int64]),
    ]

  private static let others = [
    Case([[1], [2]], .int32, [1, 2] as [Int32]),
    Case([[[1]], [[2]]], .int32, [1, 2] as [Int32]),
    Case([[1, 2]], .int32, [1, 2] as [Int32]),
    Case([LayerValue.number(1), 2.layerValue], .float32, [1, 2] as [Float]),
    Case(
      LayerValue.classification(Classification(labels: ["a", "b"], scores: [0.25, 0.75])),
      .float32, [0.25, 0.75] as [Float]),
    Case(LayerValue.bytes([1, 2, 3, 4]), .int16, [1, 2, 3, 4] as [UInt8]),
    Case(LayerValue.bytes(([1, -2] as [Float]).rawBytes), .float32, [1, -2] as [Float]),
  ]

  @Test(arguments: fitting)
  func `A valid value is encoded to the expected bytes`(each: Case) throws {
    let shape: TensorShape =
      switch each.value {
      case .numbers(let numbers): TensorShape(signedDimensions: numbers.shape)
      default: [2]
      }
    let roundTrip = LayerRoundTrip.array(shape, over: each.type)
    #expect(try roundTrip.encoded(each.value) == each.bytes)
  }

  static let outOfRange: [(value: LayerValue, type: ElementType, description: String)] = [
    ([0, 0.5].layerValue, .int32, "0.5"), ([0.5 as Float].layerValue, .int64, "0.5"),
    ([2.5].layerValue, .int16, "2.5"), ([300].layerValue, .uint8, "300"),
    ([255.6].layerValue, .uint8, "255.6"), ([1, -1].layerValue, .uint8, "-1"),
    ([-0.6].layerValue, .uint8, "-0.6"), ([128].layerValue, .int8, "128"),
    ([40_000].layerValue, .int16, "40000"), ([1 << 31].layerValue, .int32, "2147483648"),
    ([2].layerValue, .bool, "2"), ([-1].layerValue, .bool, "-1"), ([0.5].layerValue, .bool, "0.5"),
    ([Double.nan].layerValue, .int32, "nan"), ([Float.infinity].layerValue, .int64, "inf"),
    ([-Double.infinity].layerValue, .uint8, "-inf"), ([Float.nan].layerValue, .int8, "nan"),
    ([Double.nan].layerValue, .bool, "nan"), ([1e300].layerValue, .int8, "1e+300"),
    ([0x1p63].layerValue, .int64, "9.223372036854776e+18"),
    ([0, 1e39].layerValue, .float32, "1e+39"), ([-1e300].layerValue, .float32, "-1e+300"),
    ([70_000].layerValue, .float16, "70000"), ([65_520.0].layerValue, .float16, "65520.0"),
    ([-70_000 as Float].layerValue, .float16, "-70000.0"), ([1e39].layerValue, .float16, "1e+39"),
  ]

  /// Infinities and NaN are preserved.
  @Test(arguments: [ElementType.float32, .float16, .float64])
  func `An infinity passed by the caller is stored`(type: ElementType) throws {
    for value in [Double.infinity, -.infinity, .nan] {
      let roundTrip = LayerRoundTrip.array([1], over: type)
      #expect(
        try roundTrip.encoded([value].layerValue) == roundTrip.encoded([Float(value)].layerValue))
    }
    let largest = Double(Float.greatestFiniteMagnitude).nextUp
    #expect(
      try LayerRoundTrip.array([1], over: .float32).encoded([largest].layerValue)
        == [Float.greatestFiniteMagnitude].rawBytes)
  }

  @Test(arguments: outOfRange)
  func `A number out of the range of the element type is rejected`(
    value: LayerValue, type: ElementType, description: String
  ) throws {
    let count = try #require(value.numbers?.count)
    #expect(
      LayerRoundTrip.array([count], over: type).encodingError(of: value)
        == ModelError(.input, .outOfRange(value: description, type: type), layer: "layer"))
  }

  static let wrongForms: [(value: LayerValue, reason: ModelError.Reason)] = [
    ([1, 2, 3].layerValue, .wrongCount(expected: 4, actual: 3)),
    ([1, 2, 3, 4, 5].layerValue, .wrongCount(expected: 4, actual: 5)),
    ([Float]().layerValue, .wrongCount(expected: 4, actual: 0)),
    ([[Float](), []].layerValue, .wrongCount(expected: 4, actual: 0)),
    (1.layerValue, .wrongCount(expected: 4, actual: 1)),
    ([[1, 2, 3, 4, 5, 6]].layerValue, .wrongCount(expected: 4, actual: 6)),
    ([[1], [2], [3], [4]].layerValue, .wrongShape(expected: "[2,2]", actual: "[4, 1]")),
    (
      [[1, 2, 3], [4]].layerValue, .wrongType(expected: "4 numbers", actual: "a list of 2 values")
    ),
    ([[Float]]().layerValue, .wrongType(expected: "4 numbers", actual: "a list of 0 values")),
    ("four".layerValue, .wrongType(expected: "4 numbers", actual: "a string")),
    (.bytes([1, 2, 3]), .wrongByteCount(expected: 16, actual: 3)),
    (.bytes([]), .wrongByteCount(expected: 16, actual: 0)),
    (
      .classification(Classification(labels: [], scores: [1])),
      .wrongCount(expected: 4, actual: 1)
    ),
  ]

  @Test(arguments: wrongForms)
  func `A value of another kind or shape is rejected`(
    value: LayerValue, reason: ModelError.Reason
  ) {
    let roundTrip = LayerRoundTrip.array([2, 2], over: .float32, tensorShape: [1, 2, 2])
    #expect(roundTrip.encodingError(of: value) == ModelError(.input, reason, layer: "layer"))
  }

  static let rightShapes: [LayerValue] = [
    [1, 2, 3, 4].layerValue, [[1, 2], [3, 4]].layerValue, [[[1, 2], [3, 4]]].layerValue,
    [[1, 2, 3, 4]][0].layerValue,
  ]

  @Test(arguments: rightShapes)
  func `Flat lists and the layer's shape are accepted, with or without a batch of one`(
    value: LayerValue
  ) throws {
    for shape in [[2, 2], [1, 2, 2], [-1, 2, 2]] as [TensorShape] {
      let roundTrip = LayerRoundTrip.array(shape, over: .int32, tensorShape: [1, 2, 2])
      #expect(try roundTrip.encoded(value).values(of: Int32.self) == [1, 2, 3, 4])
    }
  }

  @Test func `A tensor of strings rejects numbers`() {
    let error = LayerRoundTrip.array([2], over: .string).encodingError(of: [1, 2].layerValue)
    #expect(
      error
        == ModelError(.input, .wrongType(expected: "a string", actual: "2 numbers"), layer: "layer")
    )
  }

  @Test func `A byte is rejected if it is out of range when it is quantized, numbers are clamped`()
    throws
  {
    let roundTrip = LayerRoundTrip.array([2], over: .uint8, quantize: .standard(.zeroToOne))
    #expect(try roundTrip.encoded(Tensor([0, 1] as [UInt8]).layerValue) == [0, 255])
    #expect(try roundTrip.encoded([-0.5, 1.5].layerValue) == [0, 255])
    #expect(try roundTrip.encoded([-1, 2].layerValue) == [0, 255])
    for value in [Tensor([1, 200] as [UInt8]), Tensor([-1, 0] as [Int8])] {
      #expect(roundTrip.encodingError(of: value.layerValue)?.code == "out-of-range", "\(value)")
    }
  }

  @Test func `A million elements are encoded`() throws {
    let values = [Float](repeating: 0.5, count: 1_000_000)
    let roundTrip = LayerRoundTrip.array([1_000_000], over: .uint8, quantize: .standard(.zeroToOne))
    #expect(try roundTrip.encoded(values.layerValue) == [UInt8](repeating: 127, count: 1_000_000))
  }
}
