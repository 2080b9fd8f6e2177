internal import TensorIOSystem

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
    adding made: Making = { _ in [] }
  ) throws(ArchiveError) {
    var packed = try PackedFolder(folder, named: bundleName(name))
    for (name, bytes) in try made(packed.names) { try packed.add(bytes, as: name) }
    let files = packed.files
    try Staging.file(at: path, overwriting: replacing, failure: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      var writer = try ZipWriter(creating: staging)
      for file in files {
        var source = try PackedSource(file)
        do throws(ArchiveError) {
          try writer.add(file.name) { () throws(ArchiveError) in try source.next() }
        } catch {
          var error = error
          error.entry = error.entry ?? file.name.text
          throw error
        }
      }
      try writer.finish()
    }
  }
}

extension BundleArchive {
  /// Makes files of an archive from those of a folder.
  package typealias Making = (
    [(name: String, path: String)]
  ) throws(ArchiveError) -> [(name: String, bytes: [UInt8])]
}

/// The files of a folder, by the names that they get in an archive.
private struct PackedFolder {
  struct File {
    enum Content {
      case file(String)
      case bytes([UInt8])
    }

    let content: Content
    let name: EntryName
  }

  private var unsorted: [File] = []
  private let root: String

  init(_ path: String, named name: String) throws(ArchiveError) {
    root = name
    try add(path, as: name)
  }

  /// The files in the order of an archive.
  var files: [File] {
    unsorted.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }

  /// The names of the folder's files in it, and where they lie.
  var names: [(name: String, path: String)] {
    unsorted.compactMap { file in
      guard case .file(let path) = file.content else { return nil }
      return (file.name.parts.dropFirst().joined(separator: "/"), path)
    }
  }

  /// Adds a file that lies nowhere.
  mutating func add(_ bytes: [UInt8], as name: String) throws(ArchiveError) {
    unsorted.append(File(content: .bytes(bytes), name: try EntryName("\(root)/\(name)".utf8)))
  }

  private mutating func add(_ path: String, as name: String) throws(ArchiveError) {
    try ZipDirectory.checkCount(unsorted.count)
    // Also keeps a folder from being gone through for ever.
    let entry = try EntryName(name.utf8)
    // The bundle itself may be reached by a link; what lies in it may not.
    let isRoot = entry.parts.count == 1
    switch FileKind(at: path, followingLinks: isRoot) {
    case .file: unsorted.append(File(content: .file(path), name: entry))
    case .folder:
      for part in try names(in: path) where !part.hasPrefix(".") {
        try add(path + "/" + part, as: name + "/" + part)
      }
    case .other: throw ArchiveError(.linkOrDevice, entry: name)
    case nil: throw ArchiveError(.unreadable(problem: FileFault.missing.problem), entry: name)
    }
  }

  private func names(in path: String) throws(ArchiveError) -> [String] {
    do throws(FileFault) {
      return try Folder.names(in: path)
    } catch {
      throw ArchiveError(.unreadable(problem: error.problem))
    }
  }
}

/// The bytes of a file, piece by piece.
private struct PackedSource {
  private let bytes: (Range<Int>) throws(ArchiveError) -> [UInt8]
  private var rest: Range<Int>

  init(_ source: PackedFolder.File) throws(ArchiveError) {
    switch source.content {
    case .bytes(let made):
      bytes = { (piece) throws(ArchiveError) in Array(made[piece]) }
      rest = 0..<made.count
    case .file(let path):
      let file = try ArchiveFile(at: path)
      bytes = { (piece) throws(ArchiveError) in try file.bytes(piece) }
      rest = 0..<file.byteCount
    }
  }

  mutating func next() throws(ArchiveError) -> [UInt8] {
    let piece = rest.prefix(ArchiveLimits.chunk)
    let bytes = try bytes(piece)
    if piece.lowerBound == 0 { try refuseArchive(bytes) }
    rest = rest.dropFirst(piece.count)
    return bytes
  }
}
