/// A message in protobuf's encoding, whose bytes nobody has checked.
///
/// Its fields are visited where they lie; nothing is copied or followed but what is asked for.
struct WireMessage: Sendable {
  /// The most bytes that a number takes.
  private static let longestNumber = 10
  /// The longest text that is taken for one.
  static let longestText = 1 << 20

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
  func text() throws(WireFault) -> String {
    guard count <= Self.longestText,
      let text = String(validating: bytes[range], as: UTF8.self)
    else { throw .text }
    return text
  }

  /// Visits all fields in order.
  func forEachField(
    _ body: (_ number: UInt64, _ value: WireValue) throws(WireFault) -> Void
  ) throws(WireFault) {
    var place = range.lowerBound
    while place < range.upperBound {
      let tag = try number(at: &place)
      // Other readers cut longer numbers off, and find a field where this one would find none.
      guard tag >> 3 > 0, tag <= UInt32.max else { throw .field }
      try body(tag >> 3, try value(ofKind: tag & 7, at: &place))
    }
  }

  private func value(ofKind kind: UInt64, at place: inout Int) throws(WireFault) -> WireValue {
    switch kind {
    case 0: return .number(try number(at: &place))
    case 1: return .other(try part(8, at: &place))
    case 2:
      guard let count = Int(exactly: try number(at: &place)) else { throw .length }
      return .message(try part(count, at: &place))
    case 5: return .other(try part(4, at: &place))
    default: throw .kind
    }
  }

  private func part(_ count: Int, at place: inout Int) throws(WireFault) -> WireMessage {
    guard count <= range.upperBound - place else { throw .length }
    defer { place += count }
    return WireMessage(bytes, place..<place + count)
  }

  private func number(at place: inout Int) throws(WireFault) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<Self.longestNumber {
      guard place < range.upperBound else { throw .length }
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return number }
    }
    throw .number
  }
}

/// The value of one field.
enum WireValue {
  /// A number, a truth value or a choice.
  case number(UInt64)
  /// A text, bytes, or a message within the message.
  case message(WireMessage)
  /// Four or eight bytes, which nothing here needs.
  case other(WireMessage)

  /// The bytes of a field that has to have some.
  func message() throws(WireFault) -> WireMessage {
    guard case .message(let message) = self else { throw .kind }
    return message
  }

  /// The same of a field that is there once: where it is there twice, protobuf makes one message
  /// of both, and whoever looked at one alone would know but half of it.
  func message(inPlaceOf other: WireMessage?) throws(WireFault) -> WireMessage {
    guard other == nil else { throw .repeated }
    return try message()
  }

  /// The text of a field that has to be one.
  func text() throws(WireFault) -> String {
    try message().text()
  }
}

/// In what way bytes are no message.
enum WireFault: String, Error, Sendable, CaseIterable {
  case field = "a field has no number"
  case repeated = "a field is there twice"
  case kind = "a field is of a kind that it cannot be"
  case length = "a field ends behind its message"
  case number = "a number does not end"
  case text = "a text is no UTF-8 or too long"
  case entries = "there are more entries than there may be"
}

extension WireMessage {
  /// The one entry of a map that a message is: its name and its value.
  func entry() throws(WireFault) -> (name: String, value: WireMessage) {
    var name = ""
    var value: WireMessage?
    try forEachField { (field, content) throws(WireFault) in
      switch field {
      case 1: name = try content.text()
      case 2: value = try content.message(inPlaceOf: value)
      default: break
      }
    }
    return (name, value ?? WireMessage([]))
  }
}
