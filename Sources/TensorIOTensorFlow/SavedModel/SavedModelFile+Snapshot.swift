internal import TensorIOCore
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension SavedModelFile {
  /// Lends a folder of our own in which the description is the very bytes that were reviewed.
  ///
  /// TensorFlow loads folders and no memory, and whoever may write to a bundle could exchange its
  /// graph between the review and the loading. The other folders are linked to: what they hold is
  /// numbers, which may be wrong, and do nothing.
  func withSnapshot<Value>(
    of model: ModelFile, _ body: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let folder: ScratchFolder
    do {
      folder = try ScratchFolder("tensorio-graph")
    } catch {
      throw Self.unwritable(error.problem)
    }
    defer { folder.remove() }
    do {
      try CompleteFile.write(bytes, to: folder.path + "/" + Self.name)
      try Self.link(to: FilePath.resolved(model.path) ?? model.path, from: folder.path)
    } catch {
      throw Self.unwritable((error as? FileFault)?.problem ?? "\(error)")
    }
    return try body(folder.path)
  }

  private static func link(to model: String, from folder: String) throws {
    for name in try Folder.names(in: model) where FileKind(at: model + "/" + name) == .folder {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: model + "/" + name)
    }
  }

  private static func unwritable(_ problem: String) -> ModelError {
    ModelError(.runtime, .unwritable("a temporary folder", problem: problem))
  }
}
