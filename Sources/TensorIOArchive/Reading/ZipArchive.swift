/// A zip whose directory has been read and found to be free of tricks.
///
/// Nothing is unpacked before everything that the archive says of itself has been checked: names,
/// types, sizes, and that each entry has bytes of its own. What only the bytes can tell, whether
/// they are as many and the same as the directory says, is checked as they come.
package struct ZipArchive: Sendable {
  /// What may stand before an archive in its file.
  package enum Beginning: Sendable {
    /// Nothing: the file is the archive.
    case archive
    /// Something else, such as the model that carries the archive.
    case anything
  }

  /// What is in it, in the order of its directory.
  package let entries: [ZipEntry]

  private let file: ArchiveFile
  /// Where the bytes of each entry lie, in the file.
  private let places: [String: Range<Int>]

  /// Opens the archive in a file.
  package init(at path: String, after beginning: Beginning = .archive) throws(ArchiveError) {
    file = try ArchiveFile(at: path)
    let directory = try ZipDirectory(of: file)
    entries = directory.entries
    places = try ZipPlan(directory, file).places(after: beginning)
  }

  /// The bytes of a small file.
  package func contents(of entry: ZipEntry, limit: Int) throws(ArchiveError) -> [UInt8] {
    guard entry.byteCount <= limit else {
      throw ArchiveError(.tooLarge(bytes: entry.byteCount, limit: limit), entry: entry.name.text)
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
    var checksum = Checksum()
    do throws(ArchiveError) {
      try unpack(entry) { (bytes) throws(ArchiveError) in
        count += bytes.count
        guard count <= entry.byteCount else {
          throw ArchiveError(.wrongSize(declared: entry.byteCount))
        }
        checksum.add(bytes)
        try body(bytes)
      }
      guard count == entry.byteCount else {
        throw ArchiveError(.wrongSize(declared: entry.byteCount))
      }
      guard checksum.value == entry.checksum else { throw ArchiveError(.wrongChecksum) }
    } catch {
      var error = error
      error.entry = error.entry ?? entry.name.text
      throw error
    }
  }

  private func unpack(
    _ entry: ZipEntry, _ body: ([UInt8]) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    guard let place = places[entry.name.text], !place.isEmpty else { return }
    var rest = place
    let next = { () throws(ArchiveError) -> [UInt8] in
      let piece = rest.prefix(ArchiveLimits.chunk)
      rest = rest.dropFirst(piece.count)
      return try file.bytes(piece)
    }
    switch entry.method {
    case .stored: while !rest.isEmpty { try body(try next()) }
    case .deflated: try Inflater(ArchiveLibrary.standard).inflate(next, into: body)
    }
  }
}
