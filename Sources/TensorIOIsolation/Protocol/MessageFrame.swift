/// One message between a program and its worker: a kind, and bytes that mean what the kind says.
///
/// All numbers are little-endian. Both sides read what they get as if an enemy had written it.
package struct MessageFrame: Sendable, Hashable {
  /// What stands before every body: a mark, the kind, and the body's length.
  package static let headerLength = 12
  /// The longest body; tensors are not in it but in shared memory.
  package static let maxBodyLength = 16 << 20
  /// Every message begins with it: "TIOW", and the protocol's version.
  private static let magic: [UInt8] = [0x54, 0x49, 0x4F, 0x57, 1]

  /// What the body is about.
  package let kind: UInt8
  /// The parts of the message, one after the other.
  package let body: [UInt8]

  package init(kind: UInt8, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }

  /// The message as bytes.
  package var bytes: [UInt8] {
    get throws(FrameError) {
      guard body.count <= Self.maxBodyLength else { throw .oversized(body.count) }
      var writer = FrameWriter()
      writer.bytes = Self.magic + [kind, 0, 0]
      writer.write(UInt32(truncatingIfNeeded: body.count))
      return writer.bytes + body
    }
  }

  /// What a message's first bytes say: the kind, and how many bytes the body has.
  package static func header(
    _ bytes: ArraySlice<UInt8>
  ) throws(FrameError) -> (kind: UInt8, bodyLength: Int) {
    guard bytes.count == headerLength else { throw .wrongLength }
    guard bytes.prefix(magic.count).elementsEqual(magic),
      bytes.dropFirst(6).prefix(2).allSatisfy({ $0 == 0 })
    else { throw .badMagic }
    var reader = FrameReader(bytes.suffix(4))
    let length = Int(try reader.read(UInt32.self))
    guard length <= maxBodyLength else { throw .oversized(length) }
    return (bytes[bytes.startIndex + magic.count], length)
  }

  /// The message that some bytes are, all of them.
  package init(_ bytes: [UInt8]) throws(FrameError) {
    let (kind, length) = try Self.header(bytes.prefix(Self.headerLength))
    guard bytes.count - Self.headerLength == length else { throw .wrongLength }
    self.init(kind: kind, body: Array(bytes.dropFirst(Self.headerLength)))
  }
}

/// Why bytes are no message.
package enum FrameError: Error, Sendable, Hashable {
  /// They do not begin as messages do.
  case badMagic
  /// The message says that it is longer than messages may be.
  case oversized(Int)
  /// It ends before it is complete, or goes on after it is.
  case wrongLength
  /// It is of a kind that is not known here.
  case unknownKind(UInt8)
  /// A part of it has a value that the part cannot have.
  case invalidValue(String)
}

/// What can be a part of a message.
package protocol FrameCodable {
  /// Appends the value to a message.
  func write(to frame: inout FrameWriter)
  /// Takes a value from a message, whoever wrote it.
  init(from frame: inout FrameReader) throws(FrameError)
}

/// A message's body while it is written.
package struct FrameWriter {
  package var bytes: [UInt8] = []

  package init() {}

  mutating func write<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for place in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(place)))
    }
  }

  /// Appends a value.
  package mutating func append(_ value: some FrameCodable) { value.write(to: &self) }

  mutating func write<each Value: FrameCodable>(_ values: repeat each Value) {
    repeat (each values).write(to: &self)
  }
}

/// A message's body while it is read; nothing is read beyond its end.
package struct FrameReader {
  private var remaining: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) {
    remaining = bytes
  }

  /// How many bytes are left.
  var remainingCount: Int { remaining.count }

  mutating func take(_ count: Int) throws(FrameError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining.count else { throw .wrongLength }
    defer { remaining = remaining.dropFirst(count) }
    return remaining.prefix(count)
  }

  mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(FrameError) -> Number {
    try take(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func read<Value: FrameCodable>(
    _ type: Value.Type = Value.self
  ) throws(FrameError) -> Value {
    try Value(from: &self)
  }

  /// There must be nothing left.
  func requireEnd() throws(FrameError) {
    guard remaining.isEmpty else { throw .wrongLength }
  }
}
