extension TensorDatatype {
  /// The name of the type in TensorFlow.
  package var tensorFlowName: String { tensorFlow.name }

  /// The field of `TensorProto` for integers of the type, or for the bits of half-precision numbers.
  var tensorFlowField: UInt64 { tensorFlow.field }

  /// The name of the type in TensorFlow and its field in `TensorProto`.
  private var tensorFlow: (name: String, field: UInt64) {
    switch self {
    case .fp32: ("DT_FLOAT", 5)
    case .fp64: ("DT_DOUBLE", 6)
    case .fp16: ("DT_HALF", 13)
    case .bf16: ("DT_BFLOAT16", 13)
    case .bytes: ("DT_STRING", 8)
    case .bool: ("DT_BOOL", 11)
    case .uint8, .uint16, .int8, .int16, .int32: ("DT_" + rawValue, 7)
    case .int64: ("DT_INT64", 10)
    case .uint32: ("DT_UINT32", 16)
    case .uint64: ("DT_UINT64", 17)
    }
  }

  /// The number of the type in TensorFlow.
  var tensorFlowNumber: UInt64 {
    let types = ProtobufSchema.standard.enumeration("tensorflow.DataType")
    return UInt64(types?[tensorFlowName] ?? 0)
  }

  /// Creates the datatype with a number in TensorFlow; `nil` if it is not supported.
  init?(tensorFlowNumber number: UInt64) {
    guard let type = Self.allCases.first(where: { $0.tensorFlowNumber == number }) else {
      return nil
    }
    self = type
  }

  /// Whether an integer from a `TensorProto` is a value of the type.
  func represents(_ bits: UInt64) -> Bool {
    switch self {
    case .bool: bits <= 1
    case .fp16, .bf16: bits <= UInt16.max
    default: (try? visitInteger(RepresentsVisitor(bits: bits))) ?? true
    }
  }
}

/// Decides whether an integer from a message, which is sign-extended, is a value of a type.
private struct RepresentsVisitor: IntegerVisitor {
  let bits: UInt64

  func visit<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Bool {
    Integer.isSigned
      ? Integer(exactly: Int64(bitPattern: bits)) != nil : Integer(exactly: bits) != nil
  }
}
