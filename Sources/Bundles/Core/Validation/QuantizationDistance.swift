import TensorIOBundle

/// The difference between a declared quantization and the one that the model stores for a tensor.
///
/// Both are linear, so the difference is largest at an end of the range.
struct QuantizationDistance {
  private let storedRange: ClosedRange<Float>
  private let tensorTransform: QuantizationTransform
  private let scale: Float

  /// Creates the distance to a tensor's own quantization.
  init(_ type: ElementType, _ quantization: TensorQuantization) {
    storedRange = type.storedRange
    tensorTransform = QuantizationTransform(quantization)
    scale = quantization.scale
  }

  /// Returns the distance in quantization steps for the key `quantize` or `dequantize`; `nil` if
  /// the tensor's own quantization is declared.
  func steps(to quantization: Quantization, key: String) -> Float? {
    let isInput = key == "quantize"
    let declared: QuantizationTransform
    switch quantization {
    case .standard(let range): declared = isInput ? range.quantizing : range.dequantizing
    case .affine(let scale, let bias): declared = .declared(scale: scale, bias: bias)
    case .model: return nil
    }
    return [storedRange.lowerBound, storedRange.upperBound].map { element in
      let number = tensorTransform.dequantize(element)
      return isInput
        ? abs(declared.quantize(number) - element)
        : abs(declared.dequantize(element) - number) / scale
    }.max()
  }
}

extension Quantization {
  /// The accepted distance from the tensor's own quantization, in steps.
  ///
  /// A declared scale and bias may differ by rounding, half a step. A named range is approximate:
  /// the stock models store scores of 0 to 255/256 under `[0,1]`.
  var stepTolerance: Float {
    switch self {
    case .standard: 1 + Self.precision
    case .affine, .model: 0.5 + Self.precision
    }
  }

  /// The error of single precision and of a scale written with few digits.
  private static let precision: Float = 0.02
}

extension ElementType {
  /// The range of the stored integers of a quantized tensor.
  fileprivate var storedRange: ClosedRange<Float> {
    guard let size = byteCount, size <= 2, let range = integerRange else { return -128...127 }
    return Float(range.lowerBound)...Float(range.upperBound)
  }
}
