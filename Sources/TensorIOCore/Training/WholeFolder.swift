internal import TensorIOSystem

/// Folders that appear complete, and on the disk, or not at all.
enum WholeFolder {
  /// Makes a folder at a path, by way of another beside it.
  ///
  /// A kill at any moment leaves what was there before, or the new folder, whole.
  static func write(
    _ path: String, overwriting: Bool = false, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    let path = FilePath.withoutTrailingSlashes(path)
    guard overwriting || FileKind(at: path, followingLinks: false) == nil else {
      throw ModelError(.run, .alreadyThere(path))
    }
    let staging = Placement.beside(path)
    do throws(ModelError) {
      try at(path) { () throws(FileFault) in try Folder.make(staging) }
      try fill(staging)
      try at(path) { () throws(FileFault) in
        try Folder.sync(staging)
        try Placement.move(staging, to: path)
        try Folder.syncEntry(parent(of: path))
      }
    } catch {
      Folder.remove(staging)
      throw error
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

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
