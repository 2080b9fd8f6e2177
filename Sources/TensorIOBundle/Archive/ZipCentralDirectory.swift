/// The directory at the end of a zip: what is in it, and where.
struct ZipCentralDirectory {
  let entries: [ZipEntry]
  /// How many bytes stand before the first that the archive counts.
  let prefixByteCount: Int
  /// Where the directory begins, in the file.
  let startOffset: Int

  private static let endRecordBytes = 22
  private static let maxCommentBytes = 0xFFFF

  init(of file: RandomAccessFile) throws(ArchiveError) {
    let (end, place) = try Self.endRecord(of: file)
    let count = try Self.entryCount(end)
    let (length, offset) = (try end.uint32(at: 12), try end.uint32(at: 16))
    guard length <= ArchiveLimits.maxDirectoryBytes else {
      throw ArchiveError(.tooLarge(bytes: length, limit: ArchiveLimits.maxDirectoryBytes))
    }
    startOffset = place - length
    prefixByteCount = startOffset - offset
    guard startOffset >= 0, prefixByteCount >= 0 else { throw .corrupt("its directory is not where it should be") }
    entries = try Self.entries(try file.bytes(startOffset..<place), count: count)
  }

  // MARK: The end

  /// The last record of the file, whose comment ends where the file ends.
  private static func endRecord(
    of file: RandomAccessFile
  ) throws(ArchiveError) -> (record: LittleEndianReader, place: Int) {
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
    guard let first = try? LittleEndianReader(file.bytes(0..<4)).uint32(at: 0), first == ZipSignature.localFileHeader else {
      throw ArchiveError(.notAnArchive)
    }
    throw .corrupt("it has no directory, as when it is cut off")
  }

  /// An archive of more than 4 GiB has a record before its last.
  private static func rejectZip64(before end: Int, in bytes: [UInt8]) throws(ArchiveError) {
    let length = 20
    guard end >= length else { return }
    if try LittleEndianReader(bytes[(end - length)...]).uint32(at: 0) == ZipSignature.zip64EndOfCentralDirectoryLocator {
      throw ArchiveError(.unsupported("the format for archives beyond 4 GiB (zip64)"))
    }
  }

  private static func entryCount(_ end: LittleEndianReader) throws(ArchiveError) -> Int {
    let count = try end.uint16(at: 10)
    guard try end.uint16(at: 4) == 0, try end.uint16(at: 6) == 0, try end.uint16(at: 8) == count else {
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

  // MARK: The entries

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
    guard rest.isEmpty else { throw .corrupt("its directory lists more than it counts") }
    return entries
  }
}

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
  let compressedByteCount: Int
  /// Where the file's own record begins, as the directory counts.
  let offset: Int

  /// How long the record is, but for the name and what follows.
  static let headerBytes = 46

  /// Reads a record of the directory, and refuses what no bundle needs.
  init(_ record: LittleEndianReader) throws(ArchiveError) {
    guard try record.uint32(at: 0) == ZipSignature.centralDirectoryHeader else {
      throw .corrupt("its directory is not where it should be")
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
    guard try record.uint16(at: 34) == 0 else { throw ArchiveError(.unsupported("a split archive")) }
    isFolder = rawName.last == UInt8(ascii: "/")
    try checkFileType(mode: try record.uint32(at: 38) >> 16)
    try checkSizes()
  }

  private enum Flags {
    /// Encrypted, strongly encrypted, or with an encrypted directory.
    static let encryption = 1 << 0 | 1 << 6 | 1 << 13
  }

  /// Whether the record before the file leaves its sizes and checksum to one behind it.
  var hasDataDescriptor: Bool { flags & 1 << 3 != 0 }

  private static func method(_ number: Int, _ name: String) throws(ArchiveError) -> Method {
    if let method = Method(rawValue: number) { return method }
    throw ArchiveError(.unsupported("the compression method \(number)"), entryName: name)
  }

  /// A number that is not the sign for "larger than four bytes can say".
  private static func size(_ number: Int, _ name: String) throws(ArchiveError) -> Int {
    guard number < 0xFFFF_FFFF else {
      throw ArchiveError(.tooLarge(bytes: number, limit: ArchiveLimits.maxExpandedBytes), entryName: name)
    }
    return number
  }

  /// The type that systems with a `st_mode` note; others note none.
  private func checkFileType(mode: Int) throws(ArchiveError) {
    let (unknown, folder, file) = (0, 0o040000, 0o100000)
    switch mode & 0o170000 {
    case unknown: return
    case folder where isFolder: return
    case file where !isFolder: return
    case folder, file: throw .corrupt("it is a file and a folder", entryName: name.text)
    default: throw ArchiveError(.specialFile, entryName: name.text)
    }
  }

  private func checkSizes() throws(ArchiveError) {
    if isFolder, byteCount > 0 { throw .corrupt("it is a folder with bytes", entryName: name.text) }
    if method == .stored, byteCount != compressedByteCount {
      throw ArchiveError(.sizeMismatch(declared: byteCount), entryName: name.text)
    }
  }
}

/// The bytes of one record of a zip file: numbers with their lowest byte first, at known places.
struct LittleEndianReader {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = ArraySlice(bytes)
  }

  var count: Int { bytes.count }

  /// A number of two bytes.
  func uint16(at place: Int) throws(ArchiveError) -> Int { try number(place, 2) }

  /// A number of four bytes.
  func uint32(at place: Int) throws(ArchiveError) -> Int { try number(place, 4) }

  /// Bytes at a place.
  func bytes(at place: Int, count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
    guard place >= 0, count >= 0, place <= bytes.count, count <= bytes.count - place else {
      throw .corrupt("a record is cut off")
    }
    let start = bytes.startIndex + place
    return bytes[start..<start + count]
  }

  private func number(_ place: Int, _ count: Int) throws(ArchiveError) -> Int {
    try bytes(at: place, count: count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The kinds of records, by the four bytes with which they begin.
enum ZipSignature {
  static let localFileHeader = 0x0403_4B50
  static let centralDirectoryHeader = 0x0201_4B50
  static let endOfCentralDirectory = 0x0605_4B50
  static let zip64EndOfCentralDirectoryLocator = 0x0706_4B50
}
