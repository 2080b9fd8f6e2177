/// A folder among the system's temporary ones, for as long as it is needed.
///
/// What killed processes have left under the same name is removed when the next is made.
package final class ScratchFolder: Sendable {
  /// Where the folder lies.
  package let path: String

  private let lock: FolderLock?

  /// Makes an empty folder, which nobody else may enter.
  package init(_ name: String) throws(FileFault) {
    Self.removeLeftovers(of: name)
    (path, lock) = try FolderLock.make { () throws(FileFault) in
      try Folder.makeTemporary(name)
    }
  }

  /// Makes the empty folder again that was removed, under its name of then.
  package init(again path: String) throws(FileFault) {
    (self.path, lock) = try FolderLock.make { () throws(FileFault) in
      try Folder.make(path, isPrivate: true)
      return path
    }
  }

  /// Removes the folder with all that is in it.
  package func remove() { Folder.remove(path) }

  private static func removeLeftovers(of name: String) {
    let parent = Folder.temporary
    for entry in (try? Folder.names(in: parent)) ?? [] where entry.hasPrefix(name + ".") {
      FolderLock.removeLeftover(parent + "/" + entry)
    }
  }
}
