/// Writes messages in protobuf's wire format.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// How a value is represented.
  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5
  }

  /// Writes an integer, a Boolean or the number of an enumeration's value.
  package mutating func varint(_ field: Int, _ value: UInt64) {
    tag(field, .varint)
    append(value)
  }

  /// Writes a string or bytes.
  package mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
    begin(field, count: value.count)
    bytes += value
  }

  /// Writes the beginning of a string, bytes or message, whose contents follow.
  package mutating func begin(_ field: Int, count: Int) {
    tag(field, .lengthDelimited)
    append(UInt64(count))
  }

  /// Writes a string unless it is empty, as are missing ones.
  package mutating func string(_ field: Int, _ value: String) {
    if !value.isEmpty { bytes(field, value.utf8) }
  }

  /// Writes a Boolean unless it is false, as are missing ones.
  package mutating func bool(_ field: Int, _ value: Bool) {
    if value { varint(field, 1) }
  }

  /// Writes a message.
  package mutating func message<E: Error>(
    _ field: Int, _ write: (inout ProtobufWriter) throws(E) -> Void
  ) throws(E) {
    var writer = ProtobufWriter()
    try write(&writer)
    bytes(field, writer.bytes)
  }

  /// Writes integers as one packed field, unless there are none.
  package mutating func packed(_ field: Int, _ values: [Int]) {
    guard !values.isEmpty else { return }
    var writer = ProtobufWriter()
    for value in values { writer.append(UInt64(bitPattern: Int64(value))) }
    bytes(field, writer.bytes)
  }

  /// Writes a number of eight bytes.
  package mutating func fixed64(_ field: Int, _ value: UInt64) {
    tag(field, .fixed64)
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  /// Writes a number of four bytes.
  package mutating func fixed32(_ field: Int, _ value: UInt32) {
    tag(field, .fixed32)
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
    }
  }

  /// Writes a field that has been read, as it is.
  package mutating func field(_ number: UInt64, _ value: ProtobufValue) {
    let field = Int(truncatingIfNeeded: number)
    switch value {
    case .varint(let value): varint(field, value)
    case .lengthDelimited(let message): bytes(field, message.contents)
    case .fixedWidth(let message):
      tag(field, message.count == 4 ? .fixed32 : .fixed64)
      bytes += message.contents
    }
  }

  /// Reserves memory for as many more bytes.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  private mutating func tag(_ field: Int, _ type: WireType) {
    append(UInt64(field) << 3 | type.rawValue)
  }

  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
