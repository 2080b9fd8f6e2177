import TensorIOSystem

extension BundleArchive {
  /// Packs a bundle's folder into a zip, which appears complete or not at all.
  ///
  /// In the zip, the folder's name ends as those of bundles do.
  /// Names are sorted and nothing of the machine goes in, so that the same bundle gives the same
  /// bytes. Hidden files, whose names begin with a dot, stay out; a link is refused, since what it
  /// leads to may be anything.
  ///
  /// What is made for the archive alone is told the folder's files, by their names in it.
  package static func pack(
    folder: String, named name: String, to path: String, replacing: Bool = false,
    generating made: GeneratedFiles = { _ in [] }
  ) throws(ArchiveError) {
    var packed = try PackingList(folder, named: bundleName(name))
    for (name, bytes) in try made(packed.diskFiles) { try packed.add(bytes, as: name) }
    let files = packed.files
    try Staging.file(at: path, overwriting: replacing, mapError: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      var writer = try ZipWriter(creating: staging)
      for file in files {
        var source = try ChunkedSource(file)
        do throws(ArchiveError) {
          try writer.add(file.name) { () throws(ArchiveError) in try source.next() }
        } catch {
          var error = error
          error.entryName = error.entryName ?? file.name.text
          throw error
        }
      }
      try writer.finish()
    }
  }
}

extension BundleArchive {
  /// Makes files of an archive from those of a folder.
  package typealias GeneratedFiles = (
    [(name: String, path: String)]
  ) throws(ArchiveError) -> [(name: String, bytes: [UInt8])]
}

/// The files of a folder, by the names that they get in an archive.
private struct PackingList {
  struct File {
    enum Content {
      case file(String)
      case bytes([UInt8])
    }

    let content: Content
    let name: EntryName
  }

  private var unsortedFiles: [File] = []
  private let root: String

  init(_ path: String, named name: String) throws(ArchiveError) {
    root = name
    try add(path, as: name)
  }

  /// The files in the order of an archive.
  var files: [File] {
    unsortedFiles.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }

  /// The names of the folder's files in it, and where they lie.
  var diskFiles: [(name: String, path: String)] {
    unsortedFiles.compactMap { file in
      guard case .file(let path) = file.content else { return nil }
      return (file.name.components.dropFirst().joined(separator: "/"), path)
    }
  }

  /// Adds a file that lies nowhere.
  mutating func add(_ bytes: [UInt8], as name: String) throws(ArchiveError) {
    unsortedFiles.append(File(content: .bytes(bytes), name: try EntryName("\(root)/\(name)".utf8)))
  }

  private mutating func add(_ path: String, as name: String) throws(ArchiveError) {
    try ZipCentralDirectory.checkCount(unsortedFiles.count)
    // Also keeps a folder from being gone through for ever.
    let entry = try EntryName(name.utf8)
    // The bundle itself may be reached by a link; what lies in it may not.
    let isRoot = entry.components.count == 1
    switch FileKind(at: path, followingSymlinks: isRoot) {
    case .file: unsortedFiles.append(File(content: .file(path), name: entry))
    case .directory:
      for part in try diskFiles(in: path) where !part.hasPrefix(".") {
        try add(path + "/" + part, as: name + "/" + part)
      }
    case .other: throw ArchiveError(.specialFile, entryName: name)
    case nil: throw ArchiveError(.unreadable(detail: FileError.notFound.message), entryName: name)
    }
  }

  private func diskFiles(in path: String) throws(ArchiveError) -> [String] {
    do throws(FileError) {
      return try FileSystem.entryNames(in: path)
    } catch {
      throw ArchiveError(.unreadable(detail: error.message))
    }
  }
}

/// The bytes of a file, piece by piece.
private struct ChunkedSource {
  private let bytes: (Range<Int>) throws(ArchiveError) -> [UInt8]
  private var rest: Range<Int>

  init(_ source: PackingList.File) throws(ArchiveError) {
    switch source.content {
    case .bytes(let made):
      bytes = { (piece) throws(ArchiveError) in Array(made[piece]) }
      rest = 0..<made.count
    case .file(let path):
      let file = try RandomAccessFile(at: path)
      bytes = { (piece) throws(ArchiveError) in try file.bytes(piece) }
      rest = 0..<file.byteCount
    }
  }

  mutating func next() throws(ArchiveError) -> [UInt8] {
    let piece = rest.prefix(ArchiveLimits.chunkBytes)
    let bytes = try bytes(piece)
    if piece.lowerBound == 0 { try rejectNestedArchive(bytes) }
    rest = rest.dropFirst(piece.count)
    return bytes
  }
}
