import TensorIOSystem

/// A copy of a bundle with other models, as training and quantization make it.
package struct BundleCopy {
  /// The file with the description of a model for people.
  package static let cardName = "CARD.md"
  /// The maximum size of the original card; a larger one is omitted.
  private static let maxCardBytes = 1 << 20
  /// A file with the expected outputs of the project's test bundles, which are invalid for other
  /// weights.
  private static let expectationsFileName = "expected.json"

  private let folder: BundleFolder
  private let models: [String]
  private let files: [String: [UInt8]]
  private let omitted: Set<String>

  /// Creates a copy.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to copy.
  ///   - models: The names of the files or folders of the models that are replaced.
  ///   - files: New contents of files, by name.
  ///   - omitted: The names of files that the new models do not need.
  package init(
    of bundle: ModelBundle, models: [String], files: [String: [UInt8]],
    omitting omitted: Set<String> = []
  ) {
    folder = bundle.folder
    self.models = models
    self.files = files
    self.omitted = omitted
  }

  /// Returns a card that begins with a note on the origin of a copy, followed by the original one.
  package static func card(of bundle: ModelBundle, provenance: String) -> [UInt8] {
    guard let card = try? bundle.folder.bytes(of: cardName, limit: maxCardBytes) else {
      return Array((provenance + "\n").utf8)
    }
    let notice =
      "The following text describes that bundle; its metrics do not apply to this one.\n\n"
    return Array("\(provenance) \(notice)".utf8) + card
  }

  /// Writes the copy into an empty folder, with a new manifest.
  ///
  /// - Parameters:
  ///   - target: The path of the folder.
  ///   - writeModel: Writes the new model with a name to a path.
  /// - Throws: ``ModelError`` if a file cannot be written, or an error of `writeModel`.
  package func write(
    to target: String, model writeModel: (_ name: String, _ path: String) throws(ModelError) -> Void
  ) throws(ModelError) {
    let paths = models.map(\.normalizedPath)
    let excluded = files.keys + BundleManifest.excludedNames + [Self.expectationsFileName]
    let tree = try tree(excluding: Array(excluded))
    let isReplaced = { (path: String) in
      omitted.contains(path)
        || paths.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
    // `BundleManifest.write` removes empty folders.
    for path in tree.folders where !isReplaced(path) {
      try write(path, to: target) { (path) throws(FileError) in
        try FileSystem.createDirectory(path)
      }
    }
    for (name, path) in zip(models, paths) { try writeModel(name, "\(target)/\(path)") }
    for file in tree.files where !isReplaced(file.path) {
      try write(file.path, to: target) { (path) throws(FileError) in
        try FileSystem.copy("\(tree.root)/\(file.path)", to: path)
      }
    }
    for (name, contents) in files {
      try write(name, to: target) { (path) throws(FileError) in
        try AtomicFile.write(contents, to: path, isDurable: false)
      }
    }
    try BundleManifest.write(into: target)
  }

  private func tree(excluding names: [String]) throws(ModelError) -> BundleFileTree {
    do throws(ArchiveError) {
      return try BundleFileTree(of: folder.root, maxBytes: .max, excluding: names)
    } catch {
      throw ModelError(
        .bundle, .invalidArchive(code: error.code, detail: error.folderDescription),
        file: folder.path)
    }
  }

  /// Runs a closure with the new path of a file and converts its errors to errors that name the file.
  private func write(
    _ path: String, to target: String, _ body: (String) throws(FileError) -> Void
  ) throws(ModelError) {
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      try body("\(target)/\(path)")
    }
  }
}

extension String {
  /// The path without empty and `.` components.
  fileprivate var normalizedPath: String {
    split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }
}
