import TensorIOSystem

/// A zip whose directory has been read and found to be free of tricks.
///
/// Nothing is unpacked before everything that the archive says of itself has been checked: names,
/// types, sizes, and that each entry has bytes of its own. What only the bytes can tell, whether
/// they are as many and the same as the directory says, is checked as they come.
package struct ZipArchive: Sendable {
  /// What may stand before an archive in its file.
  package enum PrefixPolicy: Sendable {
    /// Nothing: the file is the archive.
    case rejectPrefix
    /// Something else, such as the model that carries the archive.
    case allowPrefix
  }

  /// What is in it, in the order of its directory.
  package let entries: [ZipEntry]

  private let file: RandomAccessFile
  /// Where the bytes of each entry lie, in the file.
  private let contentRanges: [String: Range<Int>]

  /// Opens the archive in a file.
  package init(at path: String, prefix beginning: PrefixPolicy = .rejectPrefix) throws(ArchiveError) {
    file = try RandomAccessFile(at: path)
    let directory = try ZipCentralDirectory(of: file)
    entries = directory.entries
    contentRanges = try ZipValidator(directory, file).contentRanges(prefix: beginning)
  }

  /// The bytes of a small file.
  package func contents(of entry: ZipEntry, limit: Int) throws(ArchiveError) -> [UInt8] {
    guard entry.byteCount <= limit else {
      throw ArchiveError(.tooLarge(bytes: entry.byteCount, limit: limit), entryName: entry.name.text)
    }
    var contents: [UInt8] = []
    try read(entry) { (bytes) throws(ArchiveError) in contents += bytes }
    return contents
  }

  /// Gives the bytes of a file, piece by piece.
  ///
  /// There are never more of them than the directory says, and when it returns they have been as
  /// many and the same.
  func read(
    _ entry: ZipEntry, _ body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    var count = 0
    var checksum = CRC32()
    do throws(ArchiveError) {
      try unpack(entry) { (bytes) throws(ArchiveError) in
        count += bytes.count
        guard count <= entry.byteCount else {
          throw ArchiveError(.sizeMismatch(declared: entry.byteCount))
        }
        checksum.update(bytes)
        try body(bytes)
      }
      guard count == entry.byteCount else {
        throw ArchiveError(.sizeMismatch(declared: entry.byteCount))
      }
      guard checksum.value == entry.checksum else { throw ArchiveError(.checksumMismatch) }
    } catch {
      var error = error
      error.entryName = error.entryName ?? entry.name.text
      throw error
    }
  }

  private func unpack(
    _ entry: ZipEntry, _ body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    guard let place = contentRanges[entry.name.text], !place.isEmpty else { return }
    var rest = place
    let next = { () throws(ArchiveError) -> [UInt8] in
      let piece = rest.prefix(ArchiveLimits.chunkBytes)
      rest = rest.dropFirst(piece.count)
      return try file.bytes(piece)
    }
    switch entry.method {
    case .stored: while !rest.isEmpty { try body(try next()) }
    case .deflated: try Inflater(Libarchive.standard).inflate(next, into: body)
    }
  }
}

/// The file of an archive, of which any part can be read at any time.
final class RandomAccessFile: Sendable {
  private let file: ReadableFile
  /// How many bytes it has.
  let byteCount: Int

  init(at path: String) throws(ArchiveError) {
    do throws(FileError) {
      file = try ReadableFile(path)
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
    byteCount = file.byteCount ?? 0
  }

  /// The bytes of a part.
  func bytes(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
      throw .corrupt("it ends before byte \(range.upperBound)")
    }
    do throws(FileError) {
      return try file.bytes(in: range)
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
  }
}
