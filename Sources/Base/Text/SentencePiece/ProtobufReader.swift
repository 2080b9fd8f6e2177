/// A reader of protocol buffers.
///
/// Every length is checked against the memory, and messages are not nested by the reader, so that hostile files are
/// rejected.
struct ProtobufReader {
  /// A field of a message.
  enum Value {
    case varint(UInt64)
    case fixed32(UInt32)
    case fixed64
    case bytes(Range<Int>)
  }

  private let bytes: [UInt8]
  private var index: Int
  private let end: Int

  /// Creates a reader of a message in a range of memory.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    index = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next field, or `nil` at the end of the message.
  mutating func next() throws(TokenizerError) -> (number: UInt64, value: Value)? {
    guard index < end else { return nil }
    let key = try varint()
    guard key >> 3 > 0 else { throw malformed() }
    switch key & 7 {
    case 0: return (key >> 3, .varint(try varint()))
    case 1:
      _ = try take(8)
      return (key >> 3, .fixed64)
    case 2:
      guard let count = Int(exactly: try varint()) else { throw malformed() }
      return (key >> 3, .bytes(try take(count)))
    case 5:
      let word = try take(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[$1]) }
      return (key >> 3, .fixed32(word))
    default: throw malformed()
    }
  }

  private mutating func take(_ count: Int) throws(TokenizerError) -> Range<Int> {
    guard count >= 0, count <= end - index else { throw malformed() }
    defer { index += count }
    return index..<index + count
  }

  private mutating func varint() throws(TokenizerError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard index < end else { throw malformed() }
      let byte = bytes[index]
      index += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw malformed()
  }

  private func malformed() -> TokenizerError {
    TokenizerError(vocabulary: "its protocol buffer is malformed at byte \(index)")
  }
}
