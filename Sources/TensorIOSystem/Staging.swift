/// Files and folders that appear at a path whole, and on the disk, or not at all.
///
/// A kill at any moment leaves what was there before, or what is new. What it leaves beside the path
/// is removed by the next folder that comes there.
package enum Staging {
  /// Why nothing appeared, apart from the making itself.
  package enum Fault: Error {
    case alreadyThere(String)
    case unwritable(String, FileFault)
  }

  /// Makes a folder and lets it be filled.
  package static func folder<Failure>(
    at path: String, overwriting: Bool, failure: (Fault) -> Failure,
    _ fill: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    let path = FilePath.withoutTrailingSlashes(path)
    try refuse(path, unless: overwriting, failure)
    let made = try attempt(path, failure) { () throws(FileFault) in
      try FolderLock.make(beside: path)
    }
    try place(made.path, at: path, overwriting, failure, fill)
    withExtendedLifetime(made.lock) { Placement.removeLeftovers(beside: path) }
  }

  /// Lets a file be made.
  package static func file<Failure>(
    at path: String, overwriting: Bool, failure: (Fault) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try refuse(path, unless: overwriting, failure)
    try place(Placement.beside(path), at: path, overwriting, failure, make)
  }

  private static func place<Failure>(
    _ staging: String, at path: String, _ overwriting: Bool, _ failure: (Fault) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try make(staging)
      try refuse(path, unless: overwriting, failure)  // somebody else may have been faster
      try attempt(path, failure) { () throws(FileFault) in
        try Folder.sync(staging)
        try Placement.move(staging, to: path)
        try Folder.syncEntry(FilePath.parent(of: path))
      }
    } catch {
      Folder.remove(staging)
      throw error
    }
  }

  private static func refuse<Failure>(
    _ path: String, unless overwriting: Bool, _ failure: (Fault) -> Failure
  ) throws(Failure) {
    guard !overwriting, FileKind(at: path, followingLinks: false) != nil else { return }
    throw failure(.alreadyThere(path))
  }

  private static func attempt<Value, Failure: Error>(
    _ path: String, _ failure: (Fault) -> Failure, _ body: () throws(FileFault) -> Value
  ) throws(Failure) -> Value {
    do throws(FileFault) {
      return try body()
    } catch {
      throw failure(.unwritable(path, error))
    }
  }
}
