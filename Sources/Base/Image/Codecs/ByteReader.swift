import TensorIOSystem

/// Reads numbers from untrusted bytes.
///
/// Reading out of bounds returns `nil` and never traps.
struct ByteReader {
  /// The byte order of numbers.
  enum Order { case bigEndian, littleEndian }

  /// The bytes; positions are relative to the first one.
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

  /// Returns the bytes in a range, clamped to the bytes that exist.
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

extension [UInt8] {
  /// Returns the index of the first occurrence of a byte at or after `start`.
  ///
  /// The corresponding function is `memchr`.
  func index(of byte: UInt8, from start: Int) -> Int? {
    guard indices.contains(start) else { return nil }
    return unsafe withUnsafeBytes { memory in
      guard let base = memory.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), memory.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}

/// Reads the orientation tag of an image's EXIF metadata.
///
/// EXIF is a TIFF file without pixels: a byte order mark, a magic number and the offset of a
/// directory of twelve-byte entries. Cameras write both byte orders.
/// directory of twelve-byte entries. Cameras write both byte orders.
enum EXIF {
  /// The bytes that precede the TIFF file in a JPEG segment.
  static let jpegPrefix: [UInt8] = Array("Exif".utf8) + [0, 0]

  /// Returns the orientation in a TIFF file, or `nil` if it has none or cannot be parsed.
  static func orientation(inTIFF tiff: ArraySlice<UInt8>) -> ImageOrientation? {
    guard let order = byteOrder(of: tiff) else { return nil }
    let reader = ByteReader(tiff, order)
    guard
      reader.uint16(at: 2) == 42, let directory = reader.uint32(at: 4).map(Int.init),
      let count = reader.uint16(at: directory)
    else { return nil }
    for entry in 0..<Int(count) {
      let position = directory + 2 + entry * 12
      guard let tag = reader.uint16(at: position) else { return nil }
      if tag == orientationTag { return value(of: position, in: reader) }
    }
    return nil
  }

  private static let orientationTag: UInt16 = 0x0112

  private static func byteOrder(of tiff: ArraySlice<UInt8>) -> ByteReader.Order? {
    if tiff.starts(with: Array("II".utf8)) { return .littleEndian }
    if tiff.starts(with: Array("MM".utf8)) { return .bigEndian }
    return nil
  }

  private static func value(of entry: Int, in reader: ByteReader) -> ImageOrientation? {
    let (short, long): (UInt16, UInt16) = (3, 4)
    let number =
      switch reader.uint16(at: entry + 2) {
      case short: reader.uint16(at: entry + 8).map(Int.init)
      case long: reader.uint32(at: entry + 8).map(Int.init)
      default: Int?.none
      }
    return number.flatMap(ImageOrientation.init(rawValue:))
  }
}
