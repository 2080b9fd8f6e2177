/// A message between the application and a worker process: a kind and a body.
///
/// All numbers are little-endian. Both sides treat received frames as untrusted.
package struct MessageFrame: Sendable, Hashable {
  /// The length of the header: magic number, kind and body length.
  package static let headerLength = 12
  /// The maximum length of a body; tensors are in shared memory.
  package static let maxBodyLength = 16 << 20
  /// The magic number: "TIOW" and the protocol version.
  private static let magic: [UInt8] = [0x54, 0x49, 0x4F, 0x57, 1]

  /// The type of the message.
  package let kind: UInt8
  /// The encoded fields of the message.
  package let body: [UInt8]

  package init(kind: UInt8, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }

  /// The encoded frame.
  package var bytes: [UInt8] {
    get throws(FrameError) {
      guard body.count <= Self.maxBodyLength else { throw .oversized(body.count) }
      var writer = FrameWriter()
      writer.bytes = Self.magic + [kind, 0, 0]
      writer.write(UInt32(truncatingIfNeeded: body.count))
      return writer.bytes + body
    }
  }

  /// Parses a header.
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

  /// Parses a complete frame.
  package init(_ bytes: [UInt8]) throws(FrameError) {
    let (kind, length) = try Self.header(bytes.prefix(Self.headerLength))
    guard bytes.count - Self.headerLength == length else { throw .wrongLength }
    self.init(kind: kind, body: Array(bytes.dropFirst(Self.headerLength)))
  }
}

/// An error in a frame.
package enum FrameError: Error, Sendable, Hashable {
  /// The magic number or protocol version is wrong.
  case badMagic
  /// The body exceeds the maximum length.
  case oversized(Int)
  /// The frame or a field is truncated, or has trailing bytes.
  case wrongLength
  /// The kind is unknown.
  case unknownKind(UInt8)
  /// A field has an invalid value.
  case invalidValue(String)
}

/// A value that can be encoded in a frame.
package protocol FrameCodable {
  /// Encodes the value.
  func write(to frame: inout FrameWriter)
  /// Decodes an untrusted value.
  init(from frame: inout FrameReader) throws(FrameError)
}

/// Encodes the body of a frame.
package struct FrameWriter {
  package var bytes: [UInt8] = []

  package init() {}

  mutating func write<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  /// Appends a value.
  package mutating func append(_ value: some FrameCodable) { value.write(to: &self) }

  mutating func write<each Value: FrameCodable>(_ values: repeat each Value) {
    repeat (each values).write(to: &self)
  }
}

/// Decodes the body of a frame; reading beyond its end throws.
package struct FrameReader {
  private var remaining: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) {
    remaining = bytes
  }

  /// The number of remaining bytes.
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

  /// Throws if bytes remain.
  func requireEnd() throws(FrameError) {
    guard remaining.isEmpty else { throw .wrongLength }
  }
}
