public import TensorIOBundle
import TensorIOImage

extension NumericLayer {
  /// The conversion of an input's numbers to bytes that `quantize` declares; `nil` if the numbers are
  /// passed unchanged, or the tensor's own scale and zero point apply.
  ///
  /// `Model` applies it; call it to compute what a tensor contains.
  public var quantizer: (@Sendable (_ number: Float) -> UInt8)? {
    guard let transform = declaredTransform(for: .input), !transform.isIdentity else { return nil }
    return { UInt8(saturating: transform.quantize($0)) }
  }

  /// The conversion of an output's bytes to numbers that `dequantize` declares; `nil` if the bytes are
  /// returned unchanged, or the tensor's own scale and zero point apply.
  public var dequantizer: (@Sendable (_ byte: UInt8) -> Float)? {
    guard let transform = declaredTransform(for: .output), !transform.isIdentity else { return nil }
    return { transform.dequantize(Float($0)) }
  }
}

extension ImageLayer {
  /// The conversion of an input's pixels to numbers that `normalize` declares; `nil` if the numbers are
  /// the pixels, 0 to 255.
  ///
  /// The channel is 0 for red and gray, 1 for green and 2 for blue, whatever the order in the tensor is.
  public var normalizer: (@Sendable (_ pixel: UInt8, _ channel: UInt8) -> Float)? {
    guard let normalize else { return nil }
    let channels = ChannelNormalization.channels(of: normalize, in: .rgb)
    return { channels[min(2, Int($1))]($0) }
  }

  /// The conversion of an output's numbers to pixels that `denormalize` declares; `nil` if the numbers
  /// are the pixels, 0 to 255.
  public var denormalizer: (@Sendable (_ number: Float, _ channel: UInt8) -> UInt8)? {
    guard let denormalize else { return nil }
    let channels = ChannelNormalization.channels(of: denormalize, in: .rgb)
    return { UInt8(saturating: channels[min(2, Int($1))].denormalize($0)) }
  }
}
