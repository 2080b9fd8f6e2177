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
