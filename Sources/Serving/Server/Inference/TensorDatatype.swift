package import TensorIOBundle

/// The type of a tensor's elements in inference protocols.
///
/// The raw values are those of the Open Inference Protocol.
package enum TensorDatatype: String, Sendable, Hashable, CaseIterable {
  case bool = "BOOL"
  case uint8 = "UINT8"
  case uint16 = "UINT16"
  case uint32 = "UINT32"
  case uint64 = "UINT64"
  case int8 = "INT8"
  case int16 = "INT16"
  case int32 = "INT32"
  case int64 = "INT64"
  case fp16 = "FP16"
  case fp32 = "FP32"
  case fp64 = "FP64"
  case bf16 = "BF16"
  case bytes = "BYTES"

  /// The size of an element in bytes; `nil` for byte strings.
  package var byteCount: Int? {
    switch self {
    case .bool, .uint8, .int8: 1
    case .uint16, .int16, .fp16, .bf16: 2
    case .uint32, .int32, .fp32: 4
    case .uint64, .int64, .fp64: 8
    case .bytes: nil
    }
  }

  /// The type of a tensor's elements; `nil` for types that no runtime has.
  package var elementType: ElementType? {
    switch self {
    case .bool: .bool
    case .uint8: .uint8
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .fp16: .float16
    case .fp32: .float32
    case .fp64: .float64
    case .bytes: .string
    case .uint16, .uint32, .uint64, .bf16: nil
    }
  }

  /// Creates the datatype of elements.
  package init(_ elementType: ElementType) {
    self =
      switch elementType {
      case .float32: .fp32
      case .float16: .fp16
      case .float64: .fp64
      case .uint8: .uint8
      case .int8: .int8
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .bool: .bool
      case .string: .bytes
      }
  }
}
