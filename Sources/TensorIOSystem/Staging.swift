/// Files and folders that appear at a path whole, and on the disk, or not at all.
///
/// A kill at any moment leaves what was there before, or what is new. What it leaves beside the path
/// is removed by the next that comes there.
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

  /// Lets a file be made, in a folder of its own: what is held can be told from what was left.
  package static func file<Failure>(
    at path: String, overwriting: Bool, failure: (Fault) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try refuse(path, unless: overwriting, failure)
    let made = try attempt(path, failure) { () throws(FileFault) in
      try FolderLock.make(beside: path)
    }
    defer { withExtendedLifetime(made.lock) { Folder.remove(made.path) } }
    try place(made.path + "/" + stagedName, at: path, overwriting, failure, make)
    Placement.removeLeftovers(beside: path)
  }

  /// What a file is called in the folder in which it is made.
  private static let stagedName = "file"

  private static func place<Failure>(
    _ staging: String, at path: String, _ overwriting: Bool, _ failure: (Fault) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try make(staging)
      try refuse(path, unless: overwriting, failure)  // somebody else may have been faster
      try attempt(path, failure) { () throws(FileFault) in try Folder.sync(staging) }
      try move(staging, to: path, overwriting, failure)
      try attempt(path, failure) { () throws(FileFault) in
        try Folder.syncEntry(FilePath.parent(of: path))
      }
    } catch {
      Folder.remove(staging)
      throw error
    }
  }

  /// A folder that must not take the place of another one is renamed, which the system refuses then.
  private static func move<Failure>(
    _ staging: String, to path: String, _ overwriting: Bool, _ failure: (Fault) -> Failure
  ) throws(Failure) {
    do throws(FileFault) {
      try overwriting ? Placement.move(staging, to: path) : Folder.move(staging, to: path)
    } catch {
      try refuse(path, unless: overwriting, failure)  // somebody else has been faster
      throw failure(.unwritable(path, error))
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
