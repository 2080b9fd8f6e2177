/// How numbers and stored integers become one another: `quantize` or `dequantize`.
///
/// The two directions are written differently, as the original wrote them: quantizing computes
/// `(value + bias) · scale`, dequantizing `value · scale + bias`.
public enum Quantization: Sendable, Hashable {
  /// A named range that fills the bytes 0 to 255.
  case standard(StandardRange)
  /// A scale and a bias.
  case affine(scale: Float, bias: Float)
  /// The scale and zero point that the model stores for the tensor.
  case model
}

/// The ranges that have names in `model.json`.
public enum StandardRange: String, Sendable, Hashable, CaseIterable {
  case zeroToOne = "[0,1]"
  case minusOneToOne = "[-1,1]"
}

// The recipe of seed 001, "Selecting the Scale and Bias Terms": two equations, one for either end
// of the range.

extension Quantization {
  /// The scale and bias that quantize a range of numbers onto the bytes, or onto other integers.
  ///
  ///     Quantization(quantizing: -1...1)  // scale 127.5, bias 1: the standard "[-1,1]"
  ///
  /// `nil` when the range has no length, or when the numbers do not fit a `Float`.
  public init?(quantizing range: ClosedRange<Float>, onto stored: ClosedRange<Float> = 0...255) {
    let scale = stored.length / range.length
    self.init(scale: scale, bias: stored.lowerBound / scale - range.lowerBound)
  }

  /// The scale and bias that dequantize the bytes, or other integers, onto a range of numbers.
  ///
  ///     Quantization(dequantizing: -1...1)  // scale 2/255, bias -1: the standard "[-1,1]"
  ///
  /// `nil` when a range has no length, or when the numbers do not fit a `Float`.
  public init?(dequantizing range: ClosedRange<Float>, from stored: ClosedRange<Float> = 0...255) {
    let scale = range.length / stored.length
    self.init(scale: scale, bias: range.lowerBound - stored.lowerBound * scale)
  }

  private init?(scale: Float, bias: Float) {
    guard scale.isFinite, bias.isFinite, scale != 0 else { return nil }
    self = .affine(scale: scale, bias: bias)
  }
}

extension Normalization {
  /// The scale and bias that take the pixels 0 to 255 to a range of numbers; `nil` when it has no
  /// length.
  public init?(normalizingTo range: ClosedRange<Float>) {
    guard case .affine(let scale, let bias)? = Quantization(dequantizing: range) else { return nil }
    self.init(scale: ColorTriple(repeating: scale), bias: ColorTriple(repeating: bias))
  }

  /// The scale and bias that take a range of numbers to the pixels 0 to 255; `nil` when it has no
  /// length.
  public init?(denormalizingFrom range: ClosedRange<Float>) {
    guard case .affine(let scale, let bias)? = Quantization(quantizing: range) else { return nil }
    self.init(scale: ColorTriple(repeating: scale), bias: ColorTriple(repeating: bias))
  }
}

extension ClosedRange<Float> {
  fileprivate var length: Float { upperBound - lowerBound }
}
