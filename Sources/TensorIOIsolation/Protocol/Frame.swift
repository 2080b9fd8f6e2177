/// One message between a program and its worker: a kind, and bytes that mean what the kind says.
///
/// All numbers are little-endian. Both sides read what they get as if an enemy had written it.
package struct Frame: Sendable, Hashable {
  /// What stands before every body: a mark, the kind, and the body's length.
  package static let headLength = 12
  /// The longest body; tensors are not in it but in shared memory.
  package static let bodyLimit = 16 << 20
  /// Every message begins with it: "TIOW", and the protocol's version.
  private static let mark: [UInt8] = [0x54, 0x49, 0x4F, 0x57, 1]

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
    get throws(FrameFault) {
      guard body.count <= Self.bodyLimit else { throw .oversized(body.count) }
      var writer = FrameWriter()
      writer.bytes = Self.mark + [kind, 0, 0]
      writer.write(UInt32(truncatingIfNeeded: body.count))
      return writer.bytes + body
    }
  }

  /// What a message's first bytes say: the kind, and how many bytes the body has.
  package static func head(
    _ bytes: ArraySlice<UInt8>
  ) throws(FrameFault) -> (kind: UInt8, bodyLength: Int) {
    guard bytes.count == headLength else { throw .wrongLength }
    guard bytes.prefix(mark.count).elementsEqual(mark),
      bytes.dropFirst(6).prefix(2).allSatisfy({ $0 == 0 })
    else { throw .notAFrame }
    var reader = FrameReader(bytes.suffix(4))
    let length = Int(try reader.read(UInt32.self))
    guard length <= bodyLimit else { throw .oversized(length) }
    return (bytes[bytes.startIndex + mark.count], length)
  }

  /// The message that some bytes are, all of them.
  package init(_ bytes: [UInt8]) throws(FrameFault) {
    let (kind, length) = try Self.head(bytes.prefix(Self.headLength))
    guard bytes.count - Self.headLength == length else { throw .wrongLength }
    self.init(kind: kind, body: Array(bytes.dropFirst(Self.headLength)))
  }
}
