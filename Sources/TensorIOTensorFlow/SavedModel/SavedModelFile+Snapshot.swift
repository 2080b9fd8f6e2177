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
    let folder = try Self.writing { try SnapshotFolder() }
    defer { folder.remove() }
    try Self.writing {
      try CompleteFile.write(bytes, to: folder.path + "/" + Self.name)
      try Self.link(to: FilePath.resolved(model.path) ?? model.path, from: folder.path)
    }
    return try body(folder.path)
  }

  private static func link(to model: String, from folder: String) throws {
    for name in try Folder.names(in: model) where FileKind(at: model + "/" + name) == .folder {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: model + "/" + name)
    }
  }

  private static func writing<Value>(_ body: () throws -> Value) throws(ModelError) -> Value {
    do {
      return try body()
    } catch {
      let problem = (error as? FileFault)?.problem ?? "\(error)"
      throw ModelError(.runtime, .unwritable("a temporary folder", problem: problem))
    }
  }
}
