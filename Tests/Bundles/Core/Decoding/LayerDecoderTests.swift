import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct LayerDecoderTests {
  static let elements: [(type: ElementType, bytes: [UInt8], expected: Numbers.Elements)] = [
    (.float32, ([1.5, .nan] as [Float]).rawBytes, .floats([1.5, .nan])),
    (.float64, ([0.1, -2] as [Double]).rawBytes, .doubles([0.1, -2])),
    (.float16, ([0x3E00, 0xFC00] as [UInt16]).rawBytes, .floats([1.5, -.infinity])),
    (.uint8, [0, 255], .integers([0, 255])),
    (.int8, [0x80, 0x7F], .integers([-128, 127])),
    (.int16, ([.min, .max] as [Int16]).rawBytes, .integers([-32768, 32767])),
    (.int32, ([.min, .max] as [Int32]).rawBytes, .integers([-2_147_483_648, 2_147_483_647])),
    (.int64, ([.min, .max] as [Int64]).rawBytes, .integers([.min, .max])),
    (.bool, [0, 1], .booleans([false, true])),
  ]

  @Test(arguments: elements)
  func `Elements are decoded to numbers of the matching type`(
    type: ElementType, bytes: [UInt8], expected: Numbers.Elements
  ) throws {
    let value = try LayerRoundTrip.array([2], over: type).decoded(bytes)
    // Compared as text, since NaN is not equal to itself.
    #expect("\(value)" == "\(LayerValue.numbers(Numbers(expected)))")
  }

  @Test func `A Boolean byte above 1 is true`() throws {
    #expect(
      try [Bool](LayerRoundTrip.array([3], over: .bool).decoded([0, 2, 255])) == [
        false, true, true,
      ])
  }

  @Test func `Numbers have the shape reported by the run`() throws {
    let roundTrip = LayerRoundTrip.array([-1, 2], over: .uint8)
    #expect(
      try roundTrip.decoded([1, 2, 3, 4], shape: [2, 2])
        == .numbers(Numbers(.integers([1, 2, 3, 4]), shape: [2, 2])))
    #expect(
      try roundTrip.decoded([], shape: [0, 2]) == .numbers(Numbers(.integers([]), shape: [0, 2])))
    #expect(try roundTrip.decoded([7], shape: []) == .numbers(Numbers(.integers([7]), shape: [])))
  }

  @Test func `Memory beyond the elements is ignored`() throws {
    let roundTrip = LayerRoundTrip.array([2], over: .uint8)
    #expect(try [Int](roundTrip.decoded([1, 2, 99, 99])) == [1, 2])
  }

  @Test func `A scalar is one number with an empty shape`() throws {
    let layer = Layer(name: "layer", kind: .scalar(NumericLayer(shape: [1])))
    let roundTrip = LayerRoundTrip(
      layer, over: TensorInfo(name: "", elementType: .float32, shape: [1, 1]))
    let value = try roundTrip.decoded(([2.5] as [Float]).rawBytes)
    #expect(value == .numbers(Numbers(.floats([2.5]), shape: [])))
    #expect(value.number == 2.5)
    #expect(throws: ModelError(.output, .wrongCount(expected: 1, actual: 0), layer: "layer")) {
      try roundTrip.decoded([], shape: [0, 1])
    }
  }

  private func labeled(_ count: Int, _ shape: TensorShape) -> LayerRoundTrip {
    var roundTrip = LayerRoundTrip.array([count], over: .float32, tensorShape: shape)
    roundTrip.labels = (0..<count).map { "label \($0)" }
    return roundTrip
  }

  @Test func `An output with labels is a classification`() throws {
    let value = try labeled(2, [1, 2]).decoded(([0.25, 0.75] as [Float]).rawBytes)
    #expect(
      value
        == .classification(
          Classification(labels: ["label 0", "label 1"], scores: [0.25, 0.75])))
  }

  @Test func `A layer with 1000 labels reads the first 1000 of 1001 values`() throws {
    let scores = (0...1000).map(Float.init)
    let classification = try Classification(
      labeled(1000, [1, 1001]).decoded(scores.rawBytes))
    #expect(classification.scores == scores.dropLast())
    #expect(classification.top(1).map(\.label) == ["label 999"])
  }

  @Test func `Quantized scores are dequantized`() throws {
    var roundTrip = LayerRoundTrip.array([2], over: .uint8, dequantize: .standard(.zeroToOne))
    roundTrip.labels = ["a", "b"]
    #expect(try Classification(roundTrip.decoded([0, 255])).scores == [0, 1])
  }

  /// Shapes that a runtime may report although its memory is too small.
  static let claims: [(bytes: [UInt8], shape: [Int], reason: ModelError.Reason)] = [
    ([1, 2], [3], .wrongCount(expected: 3, actual: 2)),
    ([], [1], .wrongCount(expected: 1, actual: 0)),
    ([1, 2], [-1, 2], .wrongShape(expected: "[2]", actual: "[-1, 2]")),
    ([1, 2], [.min, 2], .wrongShape(expected: "[2]", actual: "[\(Int.min), 2]")),
    ([1, 2], [.max, 2], .wrongShape(expected: "[2]", actual: "[\(Int.max), 2]")),
    ([1, 2], [.max], .wrongCount(expected: .max, actual: 2)),
  ]

  @Test(arguments: claims)
  func `An output with less memory than its shape requires is an error of the layer`(
    bytes: [UInt8], shape: [Int], reason: ModelError.Reason
  ) {
    for labels in [[], ["a", "b"]] {
      var roundTrip = LayerRoundTrip.array([2], over: .uint8)
      roundTrip.labels = labels
      #expect(throws: ModelError(.output, reason, layer: "layer")) {
        try roundTrip.decoded(bytes, shape: shape)
      }
    }
  }

  @Test func `Strings are decoded unchanged`() throws {
    let value = try LayerRoundTrip.array([1], over: .string).decoded(Array("é".utf8))
    #expect(try String(value) == "é")
  }
}
