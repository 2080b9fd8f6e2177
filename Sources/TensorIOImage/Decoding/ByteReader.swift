/// Reads numbers out of bytes that may be hostile: what lies outside is `nil`, never a trap.
struct ByteReader {
  /// In which order the bytes of a number come.
  enum Order { case bigEndian, littleEndian }

  /// All the bytes; positions count from the first.
  private let bytes: ArraySlice<UInt8>
  private let order: Order

  init(_ bytes: ArraySlice<UInt8>, _ order: Order) {
    self.bytes = bytes
    self.order = order
  }

  init(_ bytes: [UInt8], _ order: Order) {
    self.init(bytes[...], order)
  }

  var count: Int { bytes.count }

  func uint8(at position: Int) -> UInt8? {
    guard position >= 0, position < bytes.count else { return nil }
    return bytes[bytes.startIndex + position]
  }

  func uint16(at position: Int) -> UInt16? {
    number(at: position, byteCount: 2).map { UInt16(truncatingIfNeeded: $0) }
  }

  func uint32(at position: Int) -> UInt32? {
    number(at: position, byteCount: 4)
  }

  func int32(at position: Int) -> Int32? {
    uint32(at: position).map { Int32(bitPattern: $0) }
  }

  /// A part, cut off where the bytes end.
  func bytes(in range: Range<Int>) -> ArraySlice<UInt8> {
    let inside = range.clamped(to: 0..<bytes.count)
    return bytes[bytes.startIndex + inside.lowerBound..<bytes.startIndex + inside.upperBound]
  }

  private func number(at position: Int, byteCount: Int) -> UInt32? {
    guard position >= 0, position <= bytes.count - byteCount else { return nil }
    let start = bytes.startIndex + position
    let ordered = order == .bigEndian ? Array(0..<byteCount) : (0..<byteCount).reversed()
    return ordered.reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
  }
}
