/// The directory at the end of a zip: what is in it, and where.
struct ZipDirectory {
  let entries: [ZipEntry]
  /// How many bytes stand before the first that the archive counts.
  let prefix: Int
  /// Where the directory begins, in the file.
  let start: Int

  private static let endLength = 22
  private static let longestComment = 0xFFFF

  init(of file: ArchiveFile) throws(ArchiveError) {
    let (end, place) = try Self.end(of: file)
    let count = try Self.count(end)
    let (length, offset) = (try end.long(12), try end.long(16))
    guard length <= ArchiveLimits.directoryBytes else {
      throw ArchiveError(.tooLarge(bytes: length, limit: ArchiveLimits.directoryBytes))
    }
    start = place - length
    prefix = start - offset
    guard start >= 0, prefix >= 0 else { throw .damaged("its directory is not where it should be") }
    entries = try Self.entries(try file.bytes(start..<place), count: count)
  }

  // MARK: The end

  /// The last record of the file, whose comment ends where the file ends.
  private static func end(
    of file: ArchiveFile
  ) throws(ArchiveError) -> (record: Record, place: Int) {
    let tail = max(0, file.byteCount - endLength - longestComment)
    let bytes = try file.bytes(tail..<file.byteCount)
    for start in stride(from: bytes.count - endLength, through: 0, by: -1) {
      let record = Record(bytes[start...])
      guard try record.long(0) == Signature.directoryEnd,
        try endLength + record.short(20) == record.count
      else { continue }
      try checkSize(before: start, in: bytes)
      return (record, tail + start)
    }
    guard let first = try? Record(file.bytes(0..<4)).long(0), first == Signature.file else {
      throw ArchiveError(.notAnArchive)
    }
    throw .damaged("it has no directory, as when it is cut off")
  }

  /// An archive of more than 4 GiB has a record before its last.
  private static func checkSize(before end: Int, in bytes: [UInt8]) throws(ArchiveError) {
    let length = 20
    guard end >= length else { return }
    if try Record(bytes[(end - length)...]).long(0) == Signature.largeDirectoryEnd {
      throw ArchiveError(.unsupported("the format for archives beyond 4 GiB (zip64)"))
    }
  }

  private static func count(_ end: Record) throws(ArchiveError) -> Int {
    let count = try end.short(10)
    guard try end.short(4) == 0, try end.short(6) == 0, try end.short(8) == count else {
      throw ArchiveError(.unsupported("a split archive"))
    }
    try checkCount(count)
    return count
  }

  static func checkCount(_ count: Int) throws(ArchiveError) {
    guard count <= ArchiveLimits.entries else {
      throw ArchiveError(.tooManyEntries(count, limit: ArchiveLimits.entries))
    }
  }

  // MARK: The entries

  private static func entries(_ bytes: [UInt8], count: Int) throws(ArchiveError) -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var rest = bytes[...]
    for _ in 0..<count {
      let record = Record(rest)
      entries.append(try ZipEntry(record))
      let (name, extra, comment) = (
        try record.short(28), try record.short(30), try record.short(32)
      )
      let length = ZipEntry.recordLength + name + extra + comment
      rest = rest.dropFirst(try record.bytes(0, length).count)
    }
    guard rest.isEmpty else { throw .damaged("its directory lists more than it counts") }
    return entries
  }
}
