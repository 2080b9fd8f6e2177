/// The conversion between numbers and stored integers: `quantize` or `dequantize`.
///
/// The meaning of scale and bias depends on the direction: quantizing computes
/// `(value + bias) · scale`, dequantizing `value · scale + bias`.
package enum Quantization: Sendable, Hashable {
  /// A named range that maps to the bytes 0 to 255.
  case standard(StandardRange)
  /// A scale and a bias.
  case affine(scale: Float, bias: Float)
  /// The tensor's scale and zero point, as stored in the model.
  case model
}

/// A named range in `model.json`.
package enum StandardRange: String, Sendable, Hashable, CaseIterable {
  case zeroToOne = "[0,1]"
  case minusOneToOne = "[-1,1]"
}

extension Quantization {
  /// Creates the quantization of a range of numbers to a range of integers.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let standard = Quantization(quantizing: -1...1)  // scale 127.5, bias 1: the standard "[-1,1]"
  /// ```
  ///
  /// Returns `nil` if the range is empty or the result is not finite.
  package init?(quantizing range: ClosedRange<Float>, onto stored: ClosedRange<Float> = 0...255) {
    let scale = stored.length / range.length
    self.init(scale: scale, bias: stored.lowerBound / scale - range.lowerBound)
  }

  /// Creates the dequantization of a range of integers to a range of numbers.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let standard = Quantization(dequantizing: -1...1)  // scale 2/255, bias -1: the standard "[-1,1]"
  /// ```
  ///
  /// Returns `nil` if a range is empty or the result is not finite.
  package init?(dequantizing range: ClosedRange<Float>, from stored: ClosedRange<Float> = 0...255) {
    let scale = range.length / stored.length
    self.init(scale: scale, bias: range.lowerBound - stored.lowerBound * scale)
  }

  private init?(scale: Float, bias: Float) {
    guard scale.isFinite, bias.isFinite, scale != 0 else { return nil }
    self = .affine(scale: scale, bias: bias)
  }
}

extension Normalization {
  /// Creates the normalization of pixels, 0 to 255, to a range of numbers; `nil` if the range is
  /// empty.
  package init?(normalizingTo range: ClosedRange<Float>) {
    guard case .affine(let scale, let bias)? = Quantization(dequantizing: range) else { return nil }
    self.init(scale: ColorTriple(repeating: scale), bias: ColorTriple(repeating: bias))
  }

  /// Creates the denormalization of a range of numbers to pixels, 0 to 255; `nil` if the range is
  /// empty.
  package init?(denormalizingFrom range: ClosedRange<Float>) {
    guard case .affine(let scale, let bias)? = Quantization(quantizing: range) else { return nil }
    self.init(scale: ColorTriple(repeating: scale), bias: ColorTriple(repeating: bias))
  }
}

extension ClosedRange<Float> {
  fileprivate var length: Float { upperBound - lowerBound }
}
