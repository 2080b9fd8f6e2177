/// One file or folder of a zip, as the archive's directory lists it.
package struct ZipEntry: Sendable, Hashable {
  /// How the bytes of a file are kept.
  enum Method: Int, Sendable {
    case stored = 0
    case deflated = 8
  }

  /// The name.
  package let name: EntryName
  /// Whether it is a folder.
  package let isFolder: Bool
  /// How many bytes the file has.
  package let byteCount: Int

  let method: Method
  let flags: Int
  let checksum: UInt32
  let packedCount: Int
  /// Where the file's own record begins, as the directory counts.
  let offset: Int

  /// How long the record is, but for the name and what follows.
  static let recordLength = 46

  /// Reads a record of the directory, and refuses what no bundle needs.
  init(_ record: Record) throws(ArchiveError) {
    guard try record.long(0) == Signature.directoryEntry else {
      throw .damaged("its directory is not where it should be")
    }
    let rawName = try record.bytes(Self.recordLength, record.short(28))
    name = try EntryName(rawName)
    let text = name.text
    flags = try record.short(8)
    guard flags & Flags.encryption == 0 else { throw ArchiveError(.encrypted, entry: text) }
    method = try Self.method(record.short(10), text)
    checksum = UInt32(truncatingIfNeeded: try record.long(16))
    packedCount = try Self.size(record.long(20), text)
    byteCount = try Self.size(record.long(24), text)
    offset = try Self.size(record.long(42), text)
    guard try record.short(34) == 0 else { throw ArchiveError(.unsupported("a split archive")) }
    isFolder = rawName.last == UInt8(ascii: "/")
    try checkMode(of: try record.long(38) >> 16)
    try checkSizes()
  }

  private enum Flags {
    /// Encrypted, strongly encrypted, or with an encrypted directory.
    static let encryption = 1 << 0 | 1 << 6 | 1 << 13
  }

  /// Whether the record before the file leaves its sizes and checksum to one behind it.
  var hasTrailer: Bool { flags & 1 << 3 != 0 }

  private static func method(_ number: Int, _ name: String) throws(ArchiveError) -> Method {
    if let method = Method(rawValue: number) { return method }
    throw ArchiveError(.unsupported("the compression method \(number)"), entry: name)
  }

  /// A number that is not the sign for "larger than four bytes can say".
  private static func size(_ number: Int, _ name: String) throws(ArchiveError) -> Int {
    guard number < 0xFFFF_FFFF else {
      throw ArchiveError(.tooLarge(bytes: number, limit: ArchiveLimits.bytes), entry: name)
    }
    return number
  }

  /// The type that systems with a `st_mode` note; others note none.
  private func checkMode(of mode: Int) throws(ArchiveError) {
    let (unknown, folder, file) = (0, 0o040000, 0o100000)
    switch mode & 0o170000 {
    case unknown: return
    case folder where isFolder: return
    case file where !isFolder: return
    case folder, file: throw .damaged("it is a file and a folder", entry: name.text)
    default: throw ArchiveError(.linkOrDevice, entry: name.text)
    }
  }

  private func checkSizes() throws(ArchiveError) {
    if isFolder, byteCount > 0 { throw .damaged("it is a folder with bytes", entry: name.text) }
    if method == .stored, byteCount != packedCount {
      throw ArchiveError(.wrongSize(declared: byteCount), entry: name.text)
    }
  }
}
