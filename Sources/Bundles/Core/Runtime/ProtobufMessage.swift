/// An untrusted message in protobuf's wire format.
///
/// Fields are parsed in place; nested messages are parsed only on access.
package struct ProtobufMessage: Sendable {
  /// The maximum length of a varint in bytes.
  private static let maxVarintByteCount = 10
  /// The maximum length of a string in bytes.
  package static let maxStringByteCount = 1 << 20

  private let bytes: [UInt8]
  private let range: Range<Int>

  /// Creates a message from its bytes, which are parsed on access.
  package init(_ bytes: [UInt8]) {
    self.init(bytes, bytes.indices)
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  /// The number of bytes.
  package var count: Int { range.count }

  /// Returns the bytes as a string.
  package func string() throws(ProtobufError) -> String {
    guard count <= Self.maxStringByteCount,
      let string = String(validating: bytes[range], as: UTF8.self)
    else { throw .invalidString }
    return string
  }

  /// Returns the bytes as floats, or an empty array if there are more than `limit`.
  package func floats(limit: Int) -> [Float] {
    guard count % 4 == 0, count <= 4 * limit else { return [] }
    return stride(from: range.lowerBound, to: range.upperBound, by: 4).map { start in
      let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
      return Float(bitPattern: bits)
    }
  }

  /// Returns the bytes as the integers of a packed repeated field.
  ///
  /// - Throws: ``ProtobufError`` if an integer is truncated or too long.
  package func integers() throws(ProtobufError) -> [Int] {
    var integers: [Int] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      integers.append(Int(truncatingIfNeeded: try varint(at: &offset)))
    }
    return integers
  }

  /// The bytes.
  package var contents: ArraySlice<UInt8> { bytes[range] }

  /// Calls `body` for each field in order.
  package func forEachField(
    _ body: (_ number: UInt64, _ value: ProtobufValue) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let tag = try varint(at: &offset)
      // Other parsers truncate longer tags and would find a field that this one does not.
      guard tag >> 3 > 0, tag <= UInt32.max else { throw .invalidFieldNumber }
      try body(tag >> 3, try value(ofWireType: tag & 7, at: &offset))
    }
  }

  private func value(
    ofWireType wireType: UInt64, at offset: inout Int
  ) throws(ProtobufError) -> ProtobufValue {
    switch wireType {
    case 0: return .varint(try varint(at: &offset))
    case 1: return .fixedWidth(try slice(8, at: &offset))
    case 2:
      guard let count = Int(exactly: try varint(at: &offset)) else { throw .truncated }
      return .lengthDelimited(try slice(count, at: &offset))
    case 5: return .fixedWidth(try slice(4, at: &offset))
    default: throw .unexpectedWireType
    }
  }

  private func slice(_ count: Int, at offset: inout Int) throws(ProtobufError) -> ProtobufMessage {
    guard count <= range.upperBound - offset else { throw .truncated }
    defer { offset += count }
    return ProtobufMessage(bytes, offset..<offset + count)
  }

  private func varint(at offset: inout Int) throws(ProtobufError) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<Self.maxVarintByteCount {
      guard offset < range.upperBound else { throw .truncated }
      let byte = bytes[offset]
      offset += 1
      number |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return number }
    }
    throw .unterminatedVarint
  }
}

/// The value of one field.
package enum ProtobufValue {
  /// An integer, Boolean or enumeration value.
  case varint(UInt64)
  /// A string, bytes or a nested message.
  case lengthDelimited(ProtobufMessage)
  /// A value of four or eight bytes.
  case fixedWidth(ProtobufMessage)

  /// Returns the nested message.
  ///
  /// - Throws: `ProtobufError.unexpectedWireType` if the field is not length-delimited.
  package func message() throws(ProtobufError) -> ProtobufMessage {
    guard case .lengthDelimited(let message) = self else { throw .unexpectedWireType }
    return message
  }

  /// Returns the nested message of a field that may occur once.
  ///
  /// Protobuf merges repeated occurrences, so that a review of one of them would be incomplete.
  package func singularMessage(previous: ProtobufMessage?) throws(ProtobufError) -> ProtobufMessage
  {
    guard previous == nil else { throw .repeatedField }
    return try message()
  }

  /// Returns the integers of one occurrence of a repeated field, packed or not.
  ///
  /// - Throws: ``ProtobufError`` if the field does not hold integers.
  package func integers() throws(ProtobufError) -> [Int] {
    switch self {
    case .varint(let number): [Int(truncatingIfNeeded: number)]
    case .lengthDelimited(let message): try message.integers()
    case .fixedWidth: throw .unexpectedWireType
    }
  }

  /// Returns the field as an integer.
  ///
  /// - Throws: `ProtobufError.unexpectedWireType` if the field is not an integer.
  package func integer() throws(ProtobufError) -> Int {
    guard case .varint(let number) = self else { throw .unexpectedWireType }
    return Int(truncatingIfNeeded: number)
  }

  /// Returns the field as a string.
  package func string() throws(ProtobufError) -> String {
    try message().string()
  }
}

/// An error in a protobuf message; the raw value is a description.
package enum ProtobufError: String, Error, Sendable, CaseIterable {
  case invalidFieldNumber = "a field number is invalid"
  case repeatedField = "a field occurs twice"
  case unexpectedWireType = "a field has an unexpected wire type"
  case truncated = "a field is truncated"
  case unterminatedVarint = "a varint is too long"
  case invalidString = "a string is not UTF-8 or too long"
  case tooManyEntries = "there are too many entries"
  case nestingTooDeep = "messages are nested too deeply"
}

extension ProtobufMessage {
  /// Returns the key and value of a map entry.
  package func mapEntry() throws(ProtobufError) -> (name: String, value: ProtobufMessage) {
    var name = ""
    var value: ProtobufMessage?
    try forEachField { (field, content) throws(ProtobufError) in
      switch field {
      case 1: name = try content.string()
      case 2: value = try content.singularMessage(previous: value)
      default: break
      }
    }
    return (name, value ?? ProtobufMessage([]))
  }
}
