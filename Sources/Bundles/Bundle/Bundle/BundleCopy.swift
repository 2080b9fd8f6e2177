import TensorIOSystem

/// A copy of a bundle's files with other models and generated files, and a new manifest.
///
/// What describes the results of the original model, its expected outputs and its reference, is not copied.
package struct BundleCopy {
  /// A file with the expected outputs of the project's test bundles, which are invalid for new
  /// weights.
  private static let expectationsFileName = "expected.json"
  /// The file with the description of a model for people.
  package static let cardName = "CARD.md"
  /// The maximum size of the original card; a larger one is omitted.
  private static let maxCardBytes = 1 << 20

  private let folder: BundleFolder
  private let generatedFiles: [String: [UInt8]]
  /// The paths of the models, as in the description.
  private let models: [String]
  /// The paths of files that are left out.
  private let omitted: Set<String>

  /// Creates a copy.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to copy.
  ///   - files: The contents of files that are added or replaced, by path.
  ///   - models: The paths of the models that are written in place of those of the bundle.
  ///   - omitted: The paths of files that are left out.
  package init(
    of bundle: ModelBundle, replacing files: [String: [UInt8]], models: [String] = [],
    omitting omitted: [String] = []
  ) {
    (folder, generatedFiles, self.models) = (bundle.folder, files, models)
    self.omitted = Set(omitted)
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

  /// Writes the files to an empty folder.
  ///
  /// - Parameters:
  ///   - target: The path of the folder.
  ///   - writeModel: Writes the model with one of the paths to a path in the folder.
  /// - Throws: ``ModelError`` if a file cannot be read or written.
  package func write(
    to target: String,
    _ writeModel: (_ name: String, _ path: String) throws(ModelError) -> Void = { _, _ in }
  ) throws(ModelError) {
    let tree = try tree()
    var folders = Set<String>()
    // `BundleManifest.write` removes empty folders.
    for path in tree.folders where !isOfModel(path) {
      folders.insert(path)
      try mapFileErrors(at: path, in: target) { (target) throws(FileError) in
        try FileSystem.createDirectory(target)
      }
    }
    for name in models { try writeModel(name, "\(target)/\(name.normalizedPath)") }
    for file in tree.files where isCopied(file.path) {
      try mapFileErrors(at: file.path, in: target) { (target) throws(FileError) in
        let source = "\(tree.root)/\(file.path)"
        try FileSystem.copy(FilePath.resolved(source) ?? source, to: target)
      }
    }
    for (name, contents) in generatedFiles {
      try mapFileErrors(at: name, in: target) { (path) throws(FileError) in
        let parent = FilePath.parent(of: name)
        if name.contains("/"), folders.insert(parent).inserted {
          try FileSystem.createDirectories("\(target)/\(parent)")
        }
        try AtomicFile.write(contents, to: path, isDurable: false)
      }
    }
    try BundleManifest.write(into: target)
  }

  private func isCopied(_ path: String) -> Bool {
    !isOfModel(path) && generatedFiles[path] == nil && !omitted.contains(path)
  }

  private func isOfModel(_ path: String) -> Bool {
    models.map(\.normalizedPath).contains { path == $0 || path.hasPrefix($0 + "/") }
  }

  private func tree() throws(ModelError) -> BundleFileTree {
    let others =
      generatedFiles.keys + BundleManifest.excludedNames
      + [Self.expectationsFileName, BundleFolder.referenceName]
    do throws(ArchiveError) {
      return try BundleFileTree(
        of: folder.root, followsLinks: !(folder.unpacked?.linkedFolders ?? []).isEmpty,
        maxBytes: .max, excluding: Array(others))
    } catch {
      throw ModelError(
        .bundle, .invalidArchive(code: error.code, detail: error.folderDescription),
        file: folder.path)
    }
  }

  /// Runs a closure with the new path of a file and converts its errors to errors that name the file.
  private func mapFileErrors(
    at path: String, in target: String, _ body: (String) throws(FileError) -> Void
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
