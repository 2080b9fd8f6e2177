package import TensorIOBundle
import TensorIOSystem

extension BundleDraft {
  /// Writes the bundle atomically.
  ///
  /// - Parameters:
  ///   - path: The path of the bundle.
  ///   - overwriting: Whether an existing bundle is replaced.
  ///   - linking: Whether the bundle has links to the files of the model, instead of copies.
  /// - Throws: ``ArchiveError`` if the bundle cannot be written.
  package func write(
    to path: String, overwriting: Bool, linking: Bool = false
  ) throws(ArchiveError) {
    try Staging.directory(at: path, overwriting: overwriting, mapError: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      do throws(FileError) {
        try addModel(to: staging, as: description.modelFile, linking)
        for (name, draft) in functions {
          guard let file = description.functions[name]?.modelFile else { continue }
          try draft.addModel(to: staging, as: file, linking)
        }
        try AtomicFile.write(description.json, to: staging + "/model.json")
        guard labels != nil || !assets.isEmpty else { return }
        try FileSystem.createDirectory(staging + "/assets")
        for (name, bytes) in assets { try AtomicFile.write(bytes, to: staging + "/assets/" + name) }
        guard let labels else { return }
        try AtomicFile.write(
          Array(labels.map { $0 + "\n" }.joined().utf8),
          to: staging + "/assets/" + Self.labelsFileName)
      } catch {
        throw ArchiveError(.writeFailed(path, detail: error.message))
      }
    }
  }

  /// Copies the model and the files that it consists of to the bundle, or adds links to them.
  private func addModel(
    to folder: String, as name: String, _ linking: Bool
  ) throws(FileError) {
    try add(modelPath, to: folder, as: name, linking)
    for file in companionFiles {
      let source = FilePath.parent(of: modelPath) + "/" + file
      try add(source, to: folder, as: file, linking)
    }
  }

  /// Copies a file or folder of the model to the bundle, or adds a link to it.
  private func add(
    _ source: String, to folder: String, as name: String, _ linking: Bool
  ) throws(FileError) {
    var parent = folder
    for component in name.split(separator: "/").dropLast() where component != "." {
      parent += "/" + component
      if FileKind(at: parent) != .directory { try FileSystem.createDirectory(parent) }
    }
    let source = FilePath.resolved(source) ?? source
    if linking {
      try FileSystem.createLink(to: source, at: folder + "/" + name)
    } else {
      try FileSystem.copy(source, to: folder + "/" + name)
    }
  }
}
