import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// The worked examples of quantization and normalization.
@Suite struct QuantizationTransformTests {
  struct Case: CustomTestStringConvertible {
    let quantization: Quantization
    let numbers: [Float]
    let stored: [UInt8]

    var testDescription: String { "\(quantization)" }
  }

  static let quantizing = [
    Case(quantization: .standard(.zeroToOne), numbers: [0, 0.5, 1], stored: [0, 127, 255]),
    Case(quantization: .standard(.minusOneToOne), numbers: [-1, 0, 1], stored: [0, 127, 255]),
    Case(
      quantization: .standard(.zeroToOne), numbers: [-1, 2, .infinity, -.infinity, .nan],
      stored: [0, 255, 255, 0, 0]),
    Case(quantization: .affine(scale: 255, bias: 0), numbers: [0, 0.5, 1], stored: [0, 127, 255]),
    Case(
      quantization: .affine(scale: 127.5, bias: 1), numbers: [-1, 0, 1], stored: [0, 127, 255]),
    Case(quantization: .affine(scale: 1, bias: 0), numbers: [0, 1, 255], stored: [0, 1, 255]),
    Case(quantization: .affine(scale: 2, bias: 10), numbers: [-10, 0, 5.5], stored: [0, 20, 31]),
    Case(
      quantization: .affine(scale: 0, bias: 0), numbers: [-10, 0, .infinity], stored: [0, 0, 0]),
  ]

  @Test(arguments: quantizing)
  func `An input is stored as (number + bias) · scale`(each: Case) throws {
    let roundTrip = LayerRoundTrip.array(
      [each.numbers.count], over: .uint8, quantize: each.quantization)
    #expect(try roundTrip.encoded(each.numbers.layerValue) == each.stored)
  }

  static let dequantizing = [
    Case(quantization: .standard(.zeroToOne), numbers: [0, 1 / 255, 1], stored: [0, 1, 255]),
    Case(quantization: .standard(.minusOneToOne), numbers: [-1, 1], stored: [0, 255]),
    Case(quantization: .affine(scale: 2, bias: 10), numbers: [10, 14, 520], stored: [0, 2, 255]),
    Case(quantization: .affine(scale: 1 / 255, bias: 0), numbers: [0, 1], stored: [0, 255]),
  ]

  @Test(arguments: dequantizing)
  func `An output is read as element · scale + bias`(each: Case) throws {
    let roundTrip = LayerRoundTrip.array(
      [each.stored.count], over: .uint8, dequantize: each.quantization)
    let numbers = try [Float](roundTrip.decoded(each.stored))
    #expect(isClose(numbers, to: each.numbers, within: 1e-6), "\(numbers)")
  }

  /// Pairs of inverse quantizations: the bias negated, the scale inverted.
  static let inverses: [(into: Quantization, from: Quantization)] = [
    (.standard(.zeroToOne), .standard(.zeroToOne)),
    (.standard(.minusOneToOne), .standard(.minusOneToOne)),
    (.affine(scale: 255, bias: 0), .affine(scale: 1 / 255, bias: 0)),
    (.affine(scale: 51, bias: -5), .affine(scale: 1 / 51, bias: 5)),
  ]

  @Test(arguments: inverses)
  func `Every byte is preserved in a round trip`(into: Quantization, from: Quantization) throws {
    let ramp = [UInt8](0...255)
    let numbers = try LayerRoundTrip.array([256], over: .uint8, dequantize: from).decoded(ramp)
    #expect(try LayerRoundTrip.array([256], over: .uint8, quantize: into).encoded(numbers) == ramp)
  }

  @Test(arguments: [
    TensorQuantization(scale: 1 / 128, zeroPoint: 128),
    TensorQuantization(scale: 0.0078125, zeroPoint: 0),
    TensorQuantization(scale: 0.1, zeroPoint: -3),
    TensorQuantization(scale: 3.7e-5, zeroPoint: 100),
  ])
  func `Every byte is preserved in a round trip with the model's own scale`(own: TensorQuantization)
    throws
  {
    for type in [ElementType.uint8, .int8] {
      let roundTrip = LayerRoundTrip.array(
        [256], over: type, quantize: .model, dequantize: .model, quantization: own)
      let ramp = [UInt8](0...255)
      #expect(try roundTrip.encoded(roundTrip.decoded(ramp)) == ramp)
    }
  }

  @Test func `The model's own quantization uses its zero point`() throws {
    let roundTrip = LayerRoundTrip.array(
      [4], over: .int8, quantize: .model, dequantize: .model,
      quantization: TensorQuantization(scale: 0.5, zeroPoint: -10))
    let bytes = try roundTrip.encoded([0, 1, -100, 100].layerValue)
    #expect(bytes.values(of: Int8.self) == [-10, -8, -128, 127])
    #expect(try [Float](roundTrip.decoded(bytes)) == [0, 1, -59, 68.5])
  }

  @Test func `A quantization has no effect on floating-point elements`() throws {
    let roundTrip = LayerRoundTrip.array(
      [2], over: .float32, quantize: .standard(.zeroToOne), dequantize: .standard(.zeroToOne))
    #expect(try roundTrip.encoded([0.5, 2.0].layerValue).values(of: Float.self) == [0.5, 2])
    #expect(try [Float](roundTrip.decoded(([0.5, 2] as [Float]).rawBytes)) == [0.5, 2])
  }
}
