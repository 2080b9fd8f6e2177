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
    case .uint16, .bf16: 2
    case .uint32: 4
    case .uint64: 8
    default: elementType?.byteCount
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
    self = Self.allCases.first { $0.elementType == elementType } ?? .bytes
  }
}

/// A function that is generic over the type of integers in a request.
protocol IntegerVisitor {
  /// The result of the function.
  associatedtype Result
  /// Calls the function with a type.
  func visit<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(ClientError) -> Result
}

extension TensorDatatype {
  /// Calls a visitor with the Swift type of the elements.
  ///
  /// - Parameter visitor: The visitor, which is specialized for each type.
  /// - Returns: The result of the visitor; `nil` if the elements are not integers.
  /// - Throws: The error of the visitor.
  @inline(__always)
  func visitInteger<Visitor: IntegerVisitor>(
    _ visitor: Visitor
  ) throws(ClientError) -> Visitor.Result? {
    switch self {
    case .uint8: try visitor.visit(UInt8.self)
    case .uint16: try visitor.visit(UInt16.self)
    case .uint32: try visitor.visit(UInt32.self)
    case .uint64: try visitor.visit(UInt64.self)
    case .int8: try visitor.visit(Int8.self)
    case .int16: try visitor.visit(Int16.self)
    case .int32: try visitor.visit(Int32.self)
    case .int64: try visitor.visit(Int64.self)
    case .bool, .fp16, .fp32, .fp64, .bf16, .bytes: nil
    }
  }
}
