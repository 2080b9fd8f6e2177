import TensorIOBundle

/// How far a declared quantization is from the one that the model stores for a tensor.
///
/// Both are straight lines, so that they are furthest apart at an end of the range.
struct QuantizationDistance {
  private let storedRange: ClosedRange<Float>
  private let tensorTransform: QuantizationTransform
  private let scale: Float

  /// The distance to a tensor's own quantization.
  init(_ type: ElementType, _ quantization: TensorQuantization) {
    storedRange = type.storedRange
    tensorTransform = QuantizationTransform(quantization)
    scale = quantization.scale
  }

  /// The distance in steps of the tensor, in the direction of `quantize` or `dequantize`; `nil`
  /// for the tensor's own.
  func steps(to code: Quantization, key: String) -> Float? {
    let isInput = key == "quantize"
    let declared: QuantizationTransform
    switch code {
    case .standard(let range): declared = isInput ? range.quantizing : range.dequantizing
    case .affine(let scale, let bias): declared = .declared(scale: scale, bias: bias)
    case .model: return nil
    }
    return [storedRange.lowerBound, storedRange.upperBound].map { element in
      let number = tensorTransform.dequantize(element)
      return isInput
        ? abs(declared.quantize(number) - element) : abs(declared.dequantize(element) - number) / scale
    }.max()
  }
}

extension Quantization {
  /// How many steps it may be away from the tensor's own.
  ///
  /// A scale and a bias are a statement, and half a step is what rounding makes of it. The name of
  /// a range is a rounded one: the stock models store scores of 0 to 255/256 under `[0,1]`.
  var stepTolerance: Float {
    switch self {
    case .standard: 1 + Self.precision
    case .affine, .model: 0.5 + Self.precision
    }
  }

  /// What single precision and a scale that is written in a few digits may lose.
  private static let precision: Float = 0.02
}

extension ElementType {
  /// The values that the stored integers of a quantized tensor have.
  fileprivate var storedRange: ClosedRange<Float> {
    switch self {
    case .uint8: 0...255
    case .int16: -32768...32767
    default: -128...127
    }
  }
}
