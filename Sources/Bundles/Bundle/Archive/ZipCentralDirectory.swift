/// The central directory at the end of a zip file, which lists the entries.
struct ZipCentralDirectory {
  let entries: [ZipEntry]
  /// The number of bytes before the archive, which its offsets do not count.
  let prefixByteCount: Int
  /// The offset of the directory in the file.
  let startOffset: Int

  private static let endRecordBytes = 22
  private static let maxCommentBytes = 0xFFFF

  init(of file: RandomAccessFile) throws(ArchiveError) {
    let (end, endOffset) = try Self.endRecord(of: file)
    let count = try Self.entryCount(end)
    let (length, offset) = (try end.uint32(at: 12), try end.uint32(at: 16))
    guard length <= ArchiveLimits.maxDirectoryBytes else {
      throw ArchiveError(.tooLarge(bytes: length, limit: ArchiveLimits.maxDirectoryBytes))
    }
    startOffset = endOffset - length
    prefixByteCount = startOffset - offset
    guard startOffset >= 0, prefixByteCount >= 0 else {
      throw .corrupt("wrong directory offset")
    }
    entries = try Self.entries(try file.bytes(startOffset..<endOffset), count: count)
  }

  // MARK: End record

  /// Returns the end record, whose comment must end at the end of the file, and its offset.
  private static func endRecord(
    of file: RandomAccessFile
  ) throws(ArchiveError) -> (record: LittleEndianReader, offset: Int) {
    let tail = max(0, file.byteCount - endRecordBytes - maxCommentBytes)
    let bytes = try file.bytes(tail..<file.byteCount)
    for start in stride(from: bytes.count - endRecordBytes, through: 0, by: -1) {
      let record = LittleEndianReader(bytes[start...])
      guard try record.uint32(at: 0) == ZipSignature.endOfCentralDirectory,
        try endRecordBytes + record.uint16(at: 20) == record.count
      else { continue }
      try rejectZip64(before: start, in: bytes)
      return (record, tail + start)
    }
    guard let first = try? LittleEndianReader(file.bytes(0..<4)[...]).uint32(at: 0),
      first == ZipSignature.localFileHeader
    else {
      throw ArchiveError(.notAnArchive)
    }
    throw .corrupt("no central directory; the file may be truncated")
  }

  /// Throws an error if a zip64 locator precedes the end record, as in archives above 4 GiB.
  private static func rejectZip64(before end: Int, in bytes: [UInt8]) throws(ArchiveError) {
    let length = 20
    guard end >= length else { return }
    let locator = try LittleEndianReader(bytes[(end - length)...]).uint32(at: 0)
    if locator == ZipSignature.zip64EndOfCentralDirectoryLocator {
      throw ArchiveError(.unsupported("the format for archives above 4 GiB (zip64)"))
    }
  }

  private static func entryCount(_ end: LittleEndianReader) throws(ArchiveError) -> Int {
    let count = try end.uint16(at: 10)
    guard try end.uint16(at: 4) == 0, try end.uint16(at: 6) == 0, try end.uint16(at: 8) == count
    else {
      throw ArchiveError(.unsupported("a split archive"))
    }
    try checkCount(count)
    return count
  }

  static func checkCount(_ count: Int) throws(ArchiveError) {
    guard count <= ArchiveLimits.maxEntries else {
      throw ArchiveError(.tooManyEntries(count, limit: ArchiveLimits.maxEntries))
    }
  }

  // MARK: Entries

  private static func entries(_ bytes: [UInt8], count: Int) throws(ArchiveError) -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var rest = bytes[...]
    for _ in 0..<count {
      let record = LittleEndianReader(rest)
      entries.append(try ZipEntry(record))
      let (name, extra, comment) = (
        try record.uint16(at: 28), try record.uint16(at: 30), try record.uint16(at: 32)
      )
      let length = ZipEntry.headerBytes + name + extra + comment
      rest = rest.dropFirst(try record.bytes(at: 0, count: length).count)
    }
    guard rest.isEmpty else { throw .corrupt("the directory has more entries than its count") }
    return entries
  }
}

/// A file or folder in a zip archive, as listed in the central directory.
package struct ZipEntry: Sendable, Hashable {
  /// The compression method.
  enum Method: Int, Sendable {
    case stored = 0
    case deflated = 8
  }

  /// The name.
  package let name: EntryName
  /// Whether the entry is a folder.
  package let isFolder: Bool
  /// The uncompressed size in bytes.
  package let byteCount: Int

  let method: Method
  let flags: Int
  let checksum: UInt32
  let compressedByteCount: Int
  /// The offset of the local header, as declared in the directory.
  let offset: Int

  /// The size of the fixed part of a directory record in bytes.
  static let headerBytes = 46

  /// Parses a directory record and rejects features that bundles do not need.
  init(_ record: LittleEndianReader) throws(ArchiveError) {
    guard try record.uint32(at: 0) == ZipSignature.centralDirectoryHeader else {
      throw .corrupt("wrong directory offset")
    }
    let rawName = try record.bytes(at: Self.headerBytes, count: record.uint16(at: 28))
    name = try EntryName(rawName)
    let text = name.text
    flags = try record.uint16(at: 8)
    guard flags & Flags.encryption == 0 else { throw ArchiveError(.encrypted, entryName: text) }
    method = try Self.method(record.uint16(at: 10), text)
    checksum = UInt32(truncatingIfNeeded: try record.uint32(at: 16))
    compressedByteCount = try Self.size(record.uint32(at: 20), text)
    byteCount = try Self.size(record.uint32(at: 24), text)
    offset = try Self.size(record.uint32(at: 42), text)
    guard try record.uint16(at: 34) == 0 else {
      throw ArchiveError(.unsupported("a split archive"))
    }
    isFolder = rawName.last == UInt8(ascii: "/")
    try checkFileType(mode: try record.uint32(at: 38) >> 16)
    try checkSizes()
  }

  private enum Flags {
    /// The bits for encryption, strong encryption and an encrypted directory.
    static let encryption = 1 << 0 | 1 << 6 | 1 << 13
  }

  /// Whether sizes and checksum follow the contents instead of being in the local header.
  var hasDataDescriptor: Bool { flags & 1 << 3 != 0 }

  private static func method(_ number: Int, _ name: String) throws(ArchiveError) -> Method {
    if let method = Method(rawValue: number) { return method }
    throw ArchiveError(.unsupported("compression method \(number)"), entryName: name)
  }

  /// Returns a size or offset, rejecting the marker for values of more than four bytes.
  private static func size(_ number: Int, _ name: String) throws(ArchiveError) -> Int {
    guard number < 0xFFFF_FFFF else {
      throw ArchiveError(
        .tooLarge(bytes: number, limit: ArchiveLimits.maxExpandedBytes), entryName: name)
    }
    return number
  }

  /// Checks the file type in the `st_mode`, which not all systems write.
  private func checkFileType(mode: Int) throws(ArchiveError) {
    let (unknown, folder, file) = (0, 0o040000, 0o100000)
    switch mode & 0o170000 {
    case unknown: return
    case folder where isFolder: return
    case file where !isFolder: return
    case folder, file: throw .corrupt("name and file type disagree", entryName: name.text)
    default: throw ArchiveError(.specialFile, entryName: name.text)
    }
  }

  private func checkSizes() throws(ArchiveError) {
    if isFolder, byteCount > 0 { throw .corrupt("folder with contents", entryName: name.text) }
    if method == .stored, byteCount != compressedByteCount {
      throw ArchiveError(.sizeMismatch(declared: byteCount), entryName: name.text)
    }
  }
}

/// Reads little-endian numbers from a record of a zip file.
struct LittleEndianReader {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  var count: Int { bytes.count }

  /// Returns the number in two bytes.
  func uint16(at offset: Int) throws(ArchiveError) -> Int { try number(at: offset, byteCount: 2) }

  /// Returns the number in four bytes.
  func uint32(at offset: Int) throws(ArchiveError) -> Int { try number(at: offset, byteCount: 4) }

  /// Returns the bytes at an offset.
  func bytes(at offset: Int, count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      throw .corrupt("truncated record")
    }
    let start = bytes.startIndex + offset
    return bytes[start..<start + count]
  }

  private func number(at offset: Int, byteCount: Int) throws(ArchiveError) -> Int {
    try bytes(at: offset, count: byteCount).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The four-byte signatures of zip records.
enum ZipSignature {
  static let localFileHeader = 0x0403_4B50
  static let centralDirectoryHeader = 0x0201_4B50
  static let endOfCentralDirectory = 0x0605_4B50
  static let zip64EndOfCentralDirectoryLocator = 0x0706_4B50
}
