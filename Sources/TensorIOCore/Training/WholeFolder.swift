internal import TensorIOSystem

/// Folders that appear complete, and on the disk, or not at all.
package enum WholeFolder {
  /// Makes a folder at a path, by way of another beside it.
  ///
  /// A kill at any moment leaves what was there before, or the new folder, whole.
  package static func write(
    _ path: String, overwriting: Bool = false, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    let path = FilePath.withoutTrailingSlashes(path)
    guard overwriting || FileKind(at: path, followingLinks: false) == nil else {
      throw ModelError(.run, .alreadyThere(path))
    }
    let staging = Placement.beside(path)
    do throws(ModelError) {
      try at(path) { () throws(FileFault) in try Folder.make(staging) }
      let lock = FolderLock(staging)
      try fill(staging)
      try at(path) { () throws(FileFault) in
        try Folder.sync(staging)
        try Placement.move(staging, to: path)
        try Folder.syncEntry(FilePath.parent(of: path))
      }
      withExtendedLifetime(lock) { Placement.removeLeftovers(beside: path) }
    } catch {
      Folder.remove(staging)
      throw error.at(path: path)
    }
  }

  /// Does something with files, and says at which path it failed.
  static func at<Value>(
    _ path: String, _ body: () throws(FileFault) -> Value
  ) throws(ModelError) -> Value {
    do throws(FileFault) {
      return try body()
    } catch {
      throw ModelError(.run, .unwritable(path, problem: error.problem))
    }
  }
}

extension ModelError {
  /// The same, of the path that was asked for and not of the one beside it.
  fileprivate func at(path: String) -> ModelError {
    guard case .unwritable(_, let problem) = reason else { return self }
    return ModelError(stage, .unwritable(path, problem: problem))
  }
}
