internal import CTensorFlow
internal import TensorIOCore

extension ElementType {
  /// The type of TensorFlow's number for it, if there is support for it.
  init?(tensorFlow number: Int32) {
    guard let known = Self.allCases.first(where: { $0.tensorFlow == number }) else { return nil }
    self = known
  }

  /// TensorFlow's number.
  var tensorFlow: Int32 {
    let number =
      switch self {
      case .float32: CTensorFlowFloat32
      case .float16: CTensorFlowFloat16
      case .float64: CTensorFlowFloat64
      case .uint8: CTensorFlowUInt8
      case .int8: CTensorFlowInt8
      case .int16: CTensorFlowInt16
      case .int32: CTensorFlowInt32
      case .int64: CTensorFlowInt64
      case .bool: CTensorFlowBool
      case .string: CTensorFlowString
      }
    return Int32(number)
  }
}
