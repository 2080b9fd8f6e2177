internal import TensorIOArchive
internal import TensorIOCore
internal import TensorIOSystem

extension BundleDraft {
  /// Writes the bundle beside its final place; it appears there complete or not at all.
  func write(model: String, to path: String, replacing: Bool) throws(ArchiveError) {
    try Staging.folder(at: path, overwriting: replacing, failure: ArchiveError.init) {
      (staging) throws(ArchiveError) in
      do throws(FileFault) {
        let source = FilePath.resolved(model) ?? model
        try Folder.copy(source, to: staging + "/" + description.modelFile)
        try CompleteFile.write(description.json, to: staging + "/model.json")
        guard let labels else { return }
        try Folder.make(staging + "/assets")
        try CompleteFile.write(
          Array(labels.map { $0 + "\n" }.joined().utf8),
          to: staging + "/assets/" + Self.labelsName)
      } catch {
        throw ArchiveError(.unwritable(path, problem: error.problem))
      }
    }
  }
}
