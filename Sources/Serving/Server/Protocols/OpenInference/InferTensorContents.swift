import TensorIOCore

/// The elements of an input in typed fields.
struct InferTensorContents {
  private var bools: [Bool] = []
  private var signed: [Int64] = []
  private var unsigned: [UInt64] = []
  /// The memory of numbers of four and eight bytes.
  private var floats: [UInt8] = []
  private var doubles: [UInt8] = []
  private var strings: [[UInt8]] = []
  /// The number of the field that has elements; `nil` if none has.
  private var field: UInt64?

  /// The maximum number of byte strings of a tensor.
  private static let maxStringCount = 1 << 20
  /// The maximum number of integers of a tensor, each of which may take one byte of the message.
  private static let maxIntegerCount = 1 << 24

  var isEmpty: Bool { field == nil }

  /// Returns the memory that the elements of a message take at most.
  static func maxByteCount(_ message: ProtobufMessage) throws(ProtobufError) -> Int {
    var bytes = 0
    try message.forEachField { (number, value) throws(ProtobufError) in
      guard (1...8).contains(number) else { return }
      bytes += value.maxByteCount(isInteger: number <= 5, isString: number == 8)
    }
    return bytes
  }

  /// Adds the elements of a message.
  mutating func add(_ message: ProtobufMessage) throws(ProtobufError) {
    var copy = self
    self = InferTensorContents()
    try message.forEachField { (number, value) throws(ProtobufError) in
      guard (1...8).contains(number) else { return }
      guard copy.field == nil || copy.field == number else { throw .repeatedField }
      copy.field = number
      try copy.add(number, value)
    }
    self = copy
  }

  private mutating func add(_ number: UInt64, _ value: ProtobufValue) throws(ProtobufError) {
    switch number {
    case 1: try value.appendIntegers(to: &bools, limit: Self.maxIntegerCount) { $0 != 0 }
    case 2, 3:
      try value.appendIntegers(to: &signed, limit: Self.maxIntegerCount) { Int64(bitPattern: $0) }
    case 4, 5: try value.appendIntegers(to: &unsigned, limit: Self.maxIntegerCount) { $0 }
    case 6: floats += try value.memory(size: 4)
    case 7: doubles += try value.memory(size: 8)
    default:
      guard strings.count < Self.maxStringCount else { throw .tooManyEntries }
      strings.append(Array(try value.message().contents))
    }
  }
}

extension InferTensorContents {
  /// Returns the elements in the memory of a datatype.
  ///
  /// - Throws: A ``ClientError`` if they are in the field of another datatype, or out of range.
  func content(
    _ datatype: TensorDatatype, input name: String
  ) throws(ClientError) -> InferenceTensor.Content {
    guard let expected = datatype.contentsField else {
      throw .invalidInput(
        name, "elements of datatype \(datatype.rawValue) must be in raw_input_contents")
    }
    guard field == nil || field == expected.number else {
      throw .invalidInput(
        name,
        "elements of datatype \(datatype.rawValue) must be in \(expected.name), but "
          + "field \(field ?? 0) of the contents is set")
    }
    switch expected.number {
    case 1: return .bytes(bools.map { $0 ? 1 : 0 })
    case 2, 3: return .bytes(try signed.bytes(of: datatype, input: name) ?? [])
    case 4, 5: return .bytes(try unsigned.bytes(of: datatype, input: name) ?? [])
    case 6: return .bytes(floats)
    case 7: return .bytes(doubles)
    default: return .strings(strings)
    }
  }
}

extension TensorDatatype {
  /// The field of `InferTensorContents` for the elements; `nil` if there is none.
  fileprivate var contentsField: (number: UInt64, name: String)? {
    switch self {
    case .bool: (1, "bool_contents")
    case .int8, .int16, .int32: (2, "int_contents")
    case .int64: (3, "int64_contents")
    case .uint8, .uint16, .uint32: (4, "uint_contents")
    case .uint64: (5, "uint64_contents")
    case .fp32: (6, "fp32_contents")
    case .fp64: (7, "fp64_contents")
    case .bytes: (8, "bytes_contents")
    case .fp16, .bf16: nil
    }
  }
}
