import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// The documented formula for scale and bias.
@Suite struct RangeTests {
  @Test(arguments: [(StandardRange.zeroToOne, 0...1), (.minusOneToOne, -1...1)])
  func `A named range has the documented scale and bias`(
    standard: StandardRange, range: ClosedRange<Float>
  ) {
    #expect(Quantization(quantizing: range)?.code == standard.quantizing)
    #expect(Quantization(dequantizing: range)?.code == standard.dequantizing)
    #expect(
      Normalization(normalizingTo: range)?.scale == Normalization.normalizing(to: standard).scale)
    #expect(
      Normalization(normalizingTo: range)?.bias == Normalization.normalizing(to: standard).bias)
    #expect(
      Normalization(denormalizingFrom: range)?.scale
        == Normalization.denormalizing(from: standard).scale)
    #expect(
      Normalization(denormalizingFrom: range)?.bias
        == Normalization.denormalizing(from: standard).bias)
  }

  @Test(
    arguments: [0...1, -1...1, -3...5, 10...12, -0.5...0.25, 0...1000] as [ClosedRange<Float>],
    [0...255, -128...127])
  func `The ends of a range map to the ends of the integers and back`(
    range: ClosedRange<Float>, stored: ClosedRange<Float>
  ) throws {
    let quantize = try #require(Quantization(quantizing: range, onto: stored)?.code)
    let dequantize = try #require(Quantization(dequantizing: range, from: stored)?.code)
    for (number, element) in [
      (range.lowerBound, stored.lowerBound), (range.upperBound, stored.upperBound),
    ] {
      #expect(abs(quantize.quantize(number) - element) < 1e-3)
      #expect(abs(dequantize.dequantize(element) - number) < 1e-4 * max(1, abs(number)))
      #expect(abs(quantize.quantize(dequantize.dequantize(element)) - element) < 1e-3)
    }
  }

  @Test(
    arguments: [
      1...1, 0...(.infinity), -(.infinity)...0, 0...(.leastNonzeroMagnitude),
      -(.greatestFiniteMagnitude)...(.greatestFiniteMagnitude),
    ] as [ClosedRange<Float>])
  func `An empty range has no quantization`(_ range: ClosedRange<Float>) {
    #expect(Quantization(quantizing: range) == nil)
    #expect(Quantization(dequantizing: range) == nil || range.lowerBound != range.upperBound)
    #expect(Quantization(dequantizing: 0...1, from: 7...7) == nil)
    #expect(Quantization(dequantizing: 3...3) == nil)
    #expect(Normalization(denormalizingFrom: range) == nil)
  }
}

extension Quantization {
  fileprivate var code: QuantizationTransform? {
    if case .affine(let scale, let bias) = self { .declared(scale: scale, bias: bias) } else { nil }
  }
}
