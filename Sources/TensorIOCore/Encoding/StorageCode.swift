/// How a number and the element that stores it become one another.
///
/// A code is what is left of `quantize`, `dequantize` and the tensor's own scale once the
/// description and the tensor are known.
enum StorageCode: Sendable, Hashable {
  /// The element is the number.
  case direct
  /// As `model.json` writes it: `(number + bias) · scale` going in, `element · scale + bias`
  /// coming out.
  case declared(scale: Float, bias: Float)
  /// As the tensor has it: `scale · (element − zeroPoint)` is the number, in both directions.
  case tensor(scale: Float, zeroPoint: Float)

  /// The element for a number, before rounding.
  @inline(__always)
  func encode(_ number: Float) -> Float {
    switch self {
    case .direct: number
    case .declared(let scale, let bias): (number + bias) * scale
    case .tensor(let scale, let zeroPoint): number / scale + zeroPoint
    }
  }

  /// The number that an element stores.
  @inline(__always)
  func decode(_ element: Float) -> Float {
    switch self {
    case .direct: element
    case .declared(let scale, let bias): element * scale + bias
    case .tensor(let scale, let zeroPoint): (element - zeroPoint) * scale
    }
  }

  /// Whether numbers and elements differ.
  var isDirect: Bool { self == .direct }
}

extension StandardRange {
  /// Going in: the range onto the bytes 0 to 255.
  var quantizing: StorageCode {
    switch self {
    case .zeroToOne: .declared(scale: 255, bias: 0)
    case .minusOneToOne: .declared(scale: 127.5, bias: 1)
    }
  }

  /// Coming out: the bytes 0 to 255 onto the range.
  var dequantizing: StorageCode {
    switch self {
    case .zeroToOne: .declared(scale: 1 / 255, bias: 0)
    case .minusOneToOne: .declared(scale: 2 / 255, bias: -1)
    }
  }
}
