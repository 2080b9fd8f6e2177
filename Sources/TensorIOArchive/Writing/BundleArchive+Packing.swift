internal import TensorIOSystem

extension BundleArchive {
  /// Packs a bundle's folder into a zip, which appears complete or not at all.
  ///
  /// In the zip, the folder's name ends as those of bundles do.
  /// Names are sorted and nothing of the machine goes in, so that the same bundle gives the same
  /// bytes. Hidden files, whose names begin with a dot, stay out; a link is refused, since what it
  /// leads to may be anything.
  package static func pack(
    folder: String, named name: String, to path: String, replacing: Bool = false
  ) throws(ArchiveError) {
    let files = try PackedFolder(folder, named: bundleName(name)).files
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

/// The files of a folder, by the names that they get in an archive.
private struct PackedFolder {
  struct File {
    let path: String
    let name: EntryName
  }

  private(set) var files: [File] = []

  init(_ path: String, named name: String) throws(ArchiveError) {
    try add(path, as: name)
    files.sort { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }

  private mutating func add(_ path: String, as name: String) throws(ArchiveError) {
    try ZipDirectory.checkCount(files.count)
    // Also keeps a folder from being gone through for ever.
    let entry = try EntryName(name.utf8)
    // The bundle itself may be reached by a link; what lies in it may not.
    let isRoot = entry.parts.count == 1
    switch FileKind(at: path, followingLinks: isRoot) {
    case .file: files.append(File(path: path, name: entry))
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
  private let file: ArchiveFile
  private var rest: Range<Int>

  init(_ source: PackedFolder.File) throws(ArchiveError) {
    file = try ArchiveFile(at: source.path)
    rest = 0..<file.byteCount
  }

  mutating func next() throws(ArchiveError) -> [UInt8] {
    let piece = rest.prefix(ArchiveLimits.chunk)
    let bytes = try file.bytes(piece)
    if piece.lowerBound == 0 { try refuseArchive(bytes) }
    rest = rest.dropFirst(piece.count)
    return bytes
  }
}
