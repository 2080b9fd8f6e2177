/// What a zip says of one file: before its bytes, and in the directory.
struct ZipRecord {
  let name: EntryName
  let offset: Int
  var checksum: UInt32 = 0
  var byteCount = 0
  var packedCount = 0

  /// The first that could expand what was deflated.
  private static let version: UInt16 = 20
  /// As made by a Unix, whose types and permissions stand in the directory.
  private static let maker: UInt16 = 3 << 8 | version
  /// A regular file that all may read.
  private static let mode: UInt32 = 0o100644
  /// The first day that a zip can name, at midnight.
  private static let firstDay: UInt16 = 1 << 5 | 1
  /// The name is UTF-8.
  private static let flags: UInt16 = 1 << 11

  init(name: EntryName, offset: Int) {
    self.name = name
    self.offset = offset
  }

  /// The record before the bytes.
  var local: [UInt8] {
    littleEndian(UInt32(Signature.file)) + shared + littleEndian(UInt16(0)) + nameBytes
  }

  /// The record in the directory.
  var central: [UInt8] {
    let noExtraNoCommentFirstDisk = [UInt8](repeating: 0, count: 8)
    return littleEndian(UInt32(Signature.directoryEntry)) + littleEndian(Self.maker) + shared
      + noExtraNoCommentFirstDisk + littleEndian(Self.mode << 16) + littleEndian(word(offset))
      + nameBytes
  }

  /// The record that ends the file.
  static func end(count: Int, _ length: Int, at offset: Int) -> [UInt8] {
    let entries = littleEndian(UInt16(clamping: count))
    return littleEndian(UInt32(Signature.directoryEnd)) + littleEndian(UInt32(0))
      + entries + entries + littleEndian(word(length)) + littleEndian(word(offset))
      + littleEndian(UInt16(0))
  }

  private var shared: [UInt8] {
    littleEndian(Self.version) + littleEndian(Self.flags)
      + littleEndian(UInt16(ZipEntry.Method.deflated.rawValue)) + littleEndian(UInt16(0))
      + littleEndian(Self.firstDay) + littleEndian(checksum) + littleEndian(word(packedCount))
      + littleEndian(word(byteCount)) + littleEndian(UInt16(clamping: nameBytes.count))
  }

  private var nameBytes: [UInt8] { Array(name.text.utf8) }
}

/// A number that the limits keep within four bytes.
private func word(_ number: Int) -> UInt32 { UInt32(clamping: number) }

private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
  (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
