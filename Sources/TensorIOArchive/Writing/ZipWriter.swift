internal import TensorIOSystem

/// Writes a zip that depends on nothing but the names and bytes in it.
///
/// Times are those of no day, permissions those of any file, and names come in the order in which
/// they are added, so that packing the same bundle twice gives the same bytes.
struct ZipWriter: ~Copyable {
  private let path: String
  private let file: WritableFile
  private let deflater: Deflater
  private var position = 0
  private var directory: [UInt8] = []
  private var count = 0
  private var expandedCount = 0
  private var names = NameTree()

  /// Begins an archive where nothing is yet.
  init(creating path: String) throws(ArchiveError) {
    let library = try ArchiveLibrary.standard
    file = try Self.file(creating: path)
    self.path = path
    deflater = Deflater(library)
  }

  private static func file(creating path: String) throws(ArchiveError) -> WritableFile {
    do throws(FileFault) {
      return try WritableFile(creating: path)
    } catch {
      throw ArchiveError(.unwritable(path, problem: error.problem))
    }
  }

  /// Adds a file, whose bytes a closure gives until it gives none.
  mutating func add(
    _ name: EntryName, _ next: () throws(ArchiveError) -> [UInt8]
  ) throws(ArchiveError) {
    try names.add(name, isFolder: false)
    try ZipDirectory.checkCount(count + 1)
    var record = ZipRecord(name: name, offset: position)
    let start = position
    // The record comes before what it describes: its place is kept until that is known.
    position += record.local.count
    try deflate(next, into: &record)
    try put(record.local, at: start)
    directory += record.central
    count += 1
  }

  private mutating func deflate(
    _ next: () throws(ArchiveError) -> [UInt8], into record: inout ZipRecord
  ) throws(ArchiveError) {
    var (checksum, byteCount, end) = (Checksum(), 0, position)
    let before = expandedCount
    let counted = { () throws(ArchiveError) -> [UInt8] in
      let piece = try next()
      checksum.add(piece)
      byteCount += piece.count
      try Self.check(before + byteCount, limit: ArchiveLimits.bytes)
      return piece
    }
    try deflater.deflate(counted) { (bytes) throws(ArchiveError) in
      try put(bytes, at: end)
      end += bytes.count
    }
    record.checksum = checksum.value
    record.byteCount = byteCount
    expandedCount += byteCount
    record.packedCount = end - position
    position = end
  }

  private static func check(_ byteCount: Int, limit: Int) throws(ArchiveError) {
    guard byteCount <= limit else {
      throw ArchiveError(.tooLarge(bytes: byteCount, limit: limit))
    }
  }

  private func put(_ bytes: [UInt8], at place: Int) throws(ArchiveError) {
    do throws(FileFault) {
      try file.write(bytes, at: place)
    } catch {
      throw ArchiveError(.unwritable(path, problem: error.problem))
    }
  }

  /// Writes the directory and ends the file.
  consuming func finish() throws(ArchiveError) {
    // What is packed can be unpacked.
    try Self.check(expandedCount, limit: ArchiveLimits.bytes(fromArchiveOf: position))
    try put(directory + ZipRecord.end(count: count, directory.count, at: position), at: position)
    let path = path
    do throws(FileFault) {
      try file.close()
    } catch {
      throw ArchiveError(.unwritable(path, problem: error.problem))
    }
  }
}
