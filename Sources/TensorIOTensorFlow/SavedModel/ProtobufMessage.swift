/// A message in protobuf's encoding, whose bytes nobody has checked.
///
/// Its fields are visited where they lie; nothing is copied or followed but what is asked for.
struct ProtobufMessage: Sendable {
  /// The most bytes that a number takes.
  private static let maxVarintByteCount = 10
  /// The longest text that is taken for one.
  static let maxStringByteCount = 1 << 20

  private let bytes: [UInt8]
  private let range: Range<Int>

  init(_ bytes: [UInt8]) {
    self.init(bytes, bytes.indices)
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  /// How many bytes it takes.
  var count: Int { range.count }

  /// The text that the bytes are.
  func string() throws(ProtobufError) -> String {
    guard count <= Self.maxStringByteCount,
      let text = String(validating: bytes[range], as: UTF8.self)
    else { throw .invalidString }
    return text
  }

  /// Visits all fields in order.
  func forEachField(
    _ body: (_ number: UInt64, _ value: ProtobufValue) throws(ProtobufError) -> Void
  ) throws(ProtobufError) {
    var place = range.lowerBound
    while place < range.upperBound {
      let tag = try varint(at: &place)
      // Other readers cut longer numbers off, and find a field where this one would find none.
      guard tag >> 3 > 0, tag <= UInt32.max else { throw .invalidFieldNumber }
      try body(tag >> 3, try value(ofKind: tag & 7, at: &place))
    }
  }

  private func value(ofKind kind: UInt64, at place: inout Int) throws(ProtobufError) -> ProtobufValue {
    switch kind {
    case 0: return .varint(try varint(at: &place))
    case 1: return .fixedWidth(try slice(8, at: &place))
    case 2:
      guard let count = Int(exactly: try varint(at: &place)) else { throw .truncated }
      return .lengthDelimited(try slice(count, at: &place))
    case 5: return .fixedWidth(try slice(4, at: &place))
    default: throw .unexpectedWireType
    }
  }

  private func slice(_ count: Int, at place: inout Int) throws(ProtobufError) -> ProtobufMessage {
    guard count <= range.upperBound - place else { throw .truncated }
    defer { place += count }
    return ProtobufMessage(bytes, place..<place + count)
  }

  private func varint(at place: inout Int) throws(ProtobufError) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<Self.maxVarintByteCount {
      guard place < range.upperBound else { throw .truncated }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return number }
    }
    throw .unterminatedVarint
  }
}

/// The value of one field.
enum ProtobufValue {
  /// A number, a truth value or a choice.
  case varint(UInt64)
  /// A text, bytes, or a message within the message.
  case lengthDelimited(ProtobufMessage)
  /// Four or eight bytes, which nothing here needs.
  case fixedWidth(ProtobufMessage)

  /// The bytes of a field that has to have some.
  func message() throws(ProtobufError) -> ProtobufMessage {
    guard case .lengthDelimited(let message) = self else { throw .unexpectedWireType }
    return message
  }

  /// The same of a field that is there once: where it is there twice, protobuf makes one message
  /// of both, and whoever looked at one alone would know but half of it.
  func singularMessage(previous other: ProtobufMessage?) throws(ProtobufError) -> ProtobufMessage {
    guard other == nil else { throw .repeatedField }
    return try message()
  }

  /// The text of a field that has to be one.
  func string() throws(ProtobufError) -> String {
    try message().string()
  }
}

/// In what way bytes are no message.
enum ProtobufError: String, Error, Sendable, CaseIterable {
  case invalidFieldNumber = "a field has no number"
  case repeatedField = "a field is there twice"
  case unexpectedWireType = "a field is of a kind that it cannot be"
  case truncated = "a field ends behind its message"
  case unterminatedVarint = "a number does not end"
  case invalidString = "a text is no UTF-8 or too long"
  case tooManyEntries = "there are more entries than there may be"
}

extension ProtobufMessage {
  /// The one entry of a map that a message is: its name and its value.
  func mapEntry() throws(ProtobufError) -> (name: String, value: ProtobufMessage) {
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
