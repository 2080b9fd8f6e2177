import TensorIOSystem

/// A zip archive with a validated directory.
///
/// Names, types, sizes and ranges of all entries are validated before any entry is unpacked. The
/// actual size and checksum of an entry are checked while it is read.
package struct ZipArchive: Sendable {
  /// Whether other data may precede the archive in its file.
  package enum PrefixPolicy: Sendable {
    /// The file must begin with the archive.
    case rejectPrefix
    /// Other data may come first, such as a model with attached metadata.
    case allowPrefix
  }

  /// The entries in the order of the directory.
  package let entries: [ZipEntry]

  /// The offset of the first entry in the file.
  package let startOffset: Int

  private let file: RandomAccessFile
  /// The range of each entry's compressed bytes in the file, by name.
  private let contentRanges: [String: Range<Int>]

  /// Opens the archive in a file.
  package init(at path: String, prefix: PrefixPolicy = .rejectPrefix) throws(ArchiveError) {
    file = try RandomAccessFile(at: path)
    let directory = try ZipCentralDirectory(of: file)
    entries = directory.entries
    startOffset =
      directory.entries.map { directory.prefixByteCount + $0.offset }.min()
      ?? directory.startOffset
    contentRanges = try ZipValidator(directory, file).contentRanges(prefix: prefix)
  }

  /// Returns the contents of a file, up to a limit.
  package func contents(of entry: ZipEntry, limit: Int) throws(ArchiveError) -> [UInt8] {
    guard entry.byteCount <= limit else {
      throw ArchiveError(
        .tooLarge(bytes: entry.byteCount, limit: limit), entryName: entry.name.text)
    }
    var contents: [UInt8] = []
    try read(entry) { (bytes) throws(ArchiveError) in contents += bytes }
    return contents
  }

  /// Passes the contents of a file to a closure in chunks.
  ///
  /// Never passes more bytes than the directory declares. If the method returns without an error,
  /// size and checksum match the directory.
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
    guard var rest = contentRanges[entry.name.text], !rest.isEmpty else { return }
    let next = { () throws(ArchiveError) -> [UInt8] in
      let range = rest.prefix(ArchiveLimits.chunkBytes)
      rest = rest.dropFirst(range.count)
      return try file.bytes(range)
    }
    switch entry.method {
    case .stored: while !rest.isEmpty { try body(try next()) }
    case .deflated: try ZlibStream.decompress(next, into: body)
    }
  }
}

/// An open file that can be read at any position.
final class RandomAccessFile: Sendable {
  private let file: ReadableFile
  /// The size of the file in bytes.
  let byteCount: Int

  init(at path: String) throws(ArchiveError) {
    do throws(FileError) {
      file = try ReadableFile(path)
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
    byteCount = file.byteCount ?? 0
  }

  /// Returns the bytes in a range.
  func bytes(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else {
      throw .corrupt("the file ends before byte \(range.upperBound)")
    }
    do throws(FileError) {
      return try file.bytes(in: range)
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
  }
}
