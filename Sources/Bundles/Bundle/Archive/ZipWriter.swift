import TensorIOSystem

/// Writes reproducible zip archives, which depend only on the names and contents of their entries.
///
/// Times and permissions are constant, and entries keep the order in which they are added.
struct ZipWriter: ~Copyable {
  private let path: String
  private let file: WritableFile
  private var position = 0
  private var centralDirectory: [UInt8] = []
  private var entryCount = 0
  private var uncompressedByteCount = 0
  private var names = EntryNameSet()

  /// Creates an archive at a path where nothing exists.
  init(creating path: String) throws(ArchiveError) {
    self.init(try Self.file(creating: path), at: path)
  }

  private init(_ file: consuming WritableFile, at path: String) {
    self.file = file
    self.path = path
  }

  private static func file(creating path: String) throws(ArchiveError) -> WritableFile {
    do throws(FileError) {
      return try WritableFile(creating: path)
    } catch {
      throw ArchiveError(.writeFailed(path, detail: error.message))
    }
  }

  /// Adds a file whose contents a closure returns in chunks, until it returns an empty one.
  mutating func add(
    _ name: EntryName, _ next: () throws(ArchiveError) -> [UInt8]
  ) throws(ArchiveError) {
    try names.add(name, isFolder: false)
    try ZipCentralDirectory.checkCount(entryCount + 1)
    var record = ZipFileHeader(name: name, offset: position)
    let start = position
    // The header precedes the contents but depends on them, so it is written afterwards.
    position += record.localHeader.count
    try deflate(next, into: &record)
    try write(record.localHeader, at: start)
    centralDirectory += record.centralDirectoryHeader
    entryCount += 1
  }

  private mutating func deflate(
    _ next: () throws(ArchiveError) -> [UInt8], into record: inout ZipFileHeader
  ) throws(ArchiveError) {
    var (checksum, byteCount, end) = (CRC32(), 0, position)
    let before = uncompressedByteCount
    let counted = { () throws(ArchiveError) -> [UInt8] in
      let chunk = try next()
      checksum.update(chunk)
      byteCount += chunk.count
      try Self.checkSize(before + byteCount, limit: ArchiveLimits.maxExpandedBytes)
      return chunk
    }
    try ZlibStream.compress(counted) { (bytes) throws(ArchiveError) in
      try write(bytes, at: end)
      end += bytes.count
    }
    record.checksum = checksum.value
    record.byteCount = byteCount
    uncompressedByteCount += byteCount
    record.compressedByteCount = end - position
    position = end
  }

  private static func checkSize(_ byteCount: Int, limit: Int) throws(ArchiveError) {
    guard byteCount <= limit else {
      throw ArchiveError(.tooLarge(bytes: byteCount, limit: limit))
    }
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(ArchiveError) {
    do throws(FileError) {
      try file.write(bytes, at: offset)
    } catch {
      throw ArchiveError(.writeFailed(path, detail: error.message))
    }
  }

  /// Writes the central directory and closes the file.
  consuming func finish() throws(ArchiveError) {
    // The archive must satisfy the limits of unpacking.
    try Self.checkSize(
      uncompressedByteCount, limit: ArchiveLimits.maxExpandedBytes(archiveBytes: position))
    let end = ZipFileHeader.endOfCentralDirectory(
      count: entryCount, centralDirectory.count, at: position)
    try write(centralDirectory + end, at: position)
    let path = path
    do throws(FileError) {
      try file.close()
    } catch {
      throw ArchiveError(.writeFailed(path, detail: error.message))
    }
  }
}

/// The headers of one file: the local header and its record in the central directory.
struct ZipFileHeader {
  let name: EntryName
  let offset: Int
  var checksum: UInt32 = 0
  var byteCount = 0
  var compressedByteCount = 0
  var method = ZipEntry.Method.deflated

  /// The first version of the format with deflate.
  private static let versionNeeded: UInt16 = 20
  /// Unix, so that the directory holds file types and permissions.
  private static let versionMadeBy: UInt16 = 3 << 8 | versionNeeded
  /// A regular file with permissions `rw-r--r--`.
  private static let mode: UInt32 = 0o100644
  /// The earliest date that the format can represent.
  private static let earliestDOSDate: UInt16 = 1 << 5 | 1
  /// The flag for UTF-8 names.
  private static let flags: UInt16 = 1 << 11

  init(name: EntryName, offset: Int) {
    self.name = name
    self.offset = offset
  }

  /// The local header, which precedes the contents.
  var localHeader: [UInt8] {
    littleEndianBytes(UInt32(ZipSignature.localFileHeader)) + commonFields
      + littleEndianBytes(UInt16(0)) + nameBytes
  }

  /// The record in the central directory.
  var centralDirectoryHeader: [UInt8] {
    let noExtraNoCommentFirstDisk = [UInt8](repeating: 0, count: 8)
    return littleEndianBytes(UInt32(ZipSignature.centralDirectoryHeader))
      + littleEndianBytes(Self.versionMadeBy) + commonFields + noExtraNoCommentFirstDisk
      + littleEndianBytes(Self.mode << 16) + littleEndianBytes(uint32(offset)) + nameBytes
  }

  /// Returns the end record of the archive.
  static func endOfCentralDirectory(count: Int, _ length: Int, at offset: Int) -> [UInt8] {
    let entries = littleEndianBytes(UInt16(clamping: count))
    return littleEndianBytes(UInt32(ZipSignature.endOfCentralDirectory))
      + littleEndianBytes(UInt32(0))
      + entries + entries + littleEndianBytes(uint32(length)) + littleEndianBytes(uint32(offset))
      + littleEndianBytes(UInt16(0))
  }

  private var commonFields: [UInt8] {
    littleEndianBytes(Self.versionNeeded) + littleEndianBytes(Self.flags)
      + littleEndianBytes(UInt16(method.rawValue)) + littleEndianBytes(UInt16(0))
      + littleEndianBytes(Self.earliestDOSDate) + littleEndianBytes(checksum)
      + littleEndianBytes(uint32(compressedByteCount)) + littleEndianBytes(uint32(byteCount))
      + littleEndianBytes(UInt16(clamping: nameBytes.count))
  }

  private var nameBytes: [UInt8] { Array(name.text.utf8) }
}

/// Returns a number as 32 bits, which the limits guarantee to suffice.
private func uint32(_ number: Int) -> UInt32 { UInt32(clamping: number) }

private func littleEndianBytes(_ number: some FixedWidthInteger) -> [UInt8] {
  (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
