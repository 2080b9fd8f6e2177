import TensorIOSystem

extension BundleArchive {
  /// Packs a bundle's folder into a zip archive, atomically.
  ///
  /// The output is reproducible: names are sorted, and times and permissions are constant. Hidden
  /// files, whose names begin with a dot, are omitted. Symbolic links are rejected because they may
  /// point outside the bundle.
  ///
  /// - Parameters:
  ///   - folder: The path of the bundle's folder.
  ///   - name: The name of the folder in the archive; a bundle extension is added if it has none.
  ///   - path: The path of the archive.
  ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
  ///   - generate: Returns additional files for the archive, given the files of the folder.
  /// - Throws: ``ArchiveError`` if a file cannot be packed, or an error of `generate`.
  package static func pack(
    folder: String, named name: String, to path: String, replacing: Bool = false,
    generating generate: GeneratedFiles = { _ in [] }
  ) throws(ArchiveError) {
    var list = try PackingList(folder, named: bundleName(name))
    for (name, bytes) in try generate(list.diskFiles) { try list.add(bytes, as: name) }
    let files = list.files
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
  /// Returns files to add to an archive, given the files of the folder.
  package typealias GeneratedFiles = (
    [(name: String, path: String)]
  ) throws(ArchiveError) -> [(name: String, bytes: [UInt8])]
}

/// The files to pack, with their names in the archive.
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
    do throws(ArchiveError) {
      for file in try BundleFileTree(of: path).files {
        let name = try EntryName("\(root)/\(file.path)".utf8)
        unsortedFiles.append(File(content: .file("\(path)/\(file.path)"), name: name))
      }
    } catch {
      // Within the tree, paths do not begin with the name of the folder.
      guard let entry = error.entryName, !entry.hasPrefix("\(root)/") else { throw error }
      throw ArchiveError(error.reason, entryName: "\(root)/\(entry)")
    }
  }

  /// The files, sorted by name.
  var files: [File] {
    unsortedFiles.sorted { $0.name.text.utf8.lexicographicallyPrecedes($1.name.text.utf8) }
  }

  /// The names and paths of the folder's files.
  var diskFiles: [(name: String, path: String)] {
    unsortedFiles.compactMap { file in
      guard case .file(let path) = file.content else { return nil }
      return (file.name.components.dropFirst().joined(separator: "/"), path)
    }
  }

  /// Adds a file that exists only in memory.
  mutating func add(_ bytes: [UInt8], as name: String) throws(ArchiveError) {
    unsortedFiles.append(File(content: .bytes(bytes), name: try EntryName("\(root)/\(name)".utf8)))
  }
}

/// Reads the bytes of a file in chunks.
private struct ChunkedSource {
  private let bytes: (Range<Int>) throws(ArchiveError) -> [UInt8]
  private var rest: Range<Int>

  init(_ source: PackingList.File) throws(ArchiveError) {
    switch source.content {
    case .bytes(let contents):
      bytes = { (range) throws(ArchiveError) in Array(contents[range]) }
      rest = 0..<contents.count
    case .file(let path):
      let file = try RandomAccessFile(at: path)
      bytes = { (range) throws(ArchiveError) in try file.bytes(range) }
      rest = 0..<file.byteCount
    }
  }

  mutating func next() throws(ArchiveError) -> [UInt8] {
    let range = rest.prefix(ArchiveLimits.chunkBytes)
    let bytes = try bytes(range)
    if range.lowerBound == 0 { try rejectNestedArchive(bytes) }
    rest = rest.dropFirst(range.count)
    return bytes
  }
}
