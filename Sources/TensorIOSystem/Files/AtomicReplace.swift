#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Names beside a place, and the moving of what has one into that place.
package enum AtomicReplace {
  /// A name that nobody else uses, in the same folder, so that what has it can be moved.
  package static func stagingPath(for path: String) -> String {
    "\(path).\(UInt32.random(in: 0 ... .max))\(stagingSuffix)"
  }

  private static let stagingSuffix = ".part"

  /// Removes the folders that writers which were killed have left beside a path.
  ///
  /// Those that are still at work hold a ``DirectoryLock``.
  package static func removeAbandoned(beside path: String) {
    let start = (path.split(separator: "/").last ?? "") + "."
    let folder = FilePath.parent(of: path)
    for name in (try? FileSystem.entryNames(in: folder)) ?? []
    where name.hasPrefix(start) && name.hasSuffix(stagingSuffix) {
      let number = name.dropFirst(start.count).dropLast(stagingSuffix.count)
      if UInt32(number) != nil { DirectoryLock.removeIfAbandoned(folder + "/" + name) }
    }
  }

  /// Moves something to a path, in the place of what is there.
  ///
  /// Where the system can exchange two names, whoever looks finds the old or the new one at any
  /// moment. Where it cannot, a folder moves aside first, and back when the new one cannot come.
  package static func move(_ staging: String, to path: String) throws(FileError) {
    let old = FileKind(at: path, followingSymlinks: false)
    let isFile = FileKind(at: staging, followingSymlinks: false) == .file
    if old == nil || old == .file && isFile { return try FileSystem.move(staging, to: path) }
    if exchangeNames(staging, path) { return FileSystem.remove(staging) }
    try moveAside(staging, path)
  }

  private static func moveAside(_ staging: String, _ path: String) throws(FileError) {
    let old = stagingPath(for: path)
    try FileSystem.move(path, to: old)
    do throws(FileError) {
      try FileSystem.move(staging, to: path)
    } catch {
      try FileSystem.move(old, to: path)
      throw error
    }
    FileSystem.remove(old)
  }

  /// Exchanges the names of two files or folders; false where the system cannot.
  ///
  /// The corresponding function is `renameat2`, which only newer C libraries have.
  private static func exchangeNames(_ first: String, _ second: String) -> Bool {
    #if os(Linux)
      typealias Rename =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt)
        -> CInt
      guard !first.utf8.contains(0), !second.utf8.contains(0),
        let symbol = unsafe dlsym(nil, "renameat2")
      else { return false }
      let rename = unsafe unsafeBitCast(symbol, to: Rename.self)
      let exchangeNames: CUnsignedInt = 2
      return unsafe rename(AT_FDCWD, first, AT_FDCWD, second, exchangeNames) == 0
    #else
      return false
    #endif
  }
}

extension FileSystem {
  /// Sees that a file, or a folder with all that is in it, is on the disk and not only on its way.
  ///
  /// The corresponding C function is `fsync`.
  package static func sync(_ path: String) throws(FileError) {
    if FileKind(at: path, followingSymlinks: false) == .directory {
      for name in try entryNames(in: path) { try sync(path + "/" + name) }
    }
    try syncItem(path)
  }

  /// Sees that the names in a folder are on the disk.
  package static func syncItem(_ path: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .lastError }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .lastError }
  }
}

/// Files that appear complete or not at all.
package enum AtomicFile {
  /// Writes beside the path and renames, so that nobody ever sees half a file; one that is private
  /// nobody but its owner may read.
  package static func write(
    _ bytes: [UInt8], to path: String, isPrivate: Bool = false
  ) throws(FileError) {
    let beside = AtomicReplace.stagingPath(for: path)
    do throws(FileError) {
      let file = try WritableFile(creating: beside, isPrivate: isPrivate)
      try file.write(bytes, at: 0)
      try file.close()
      try FileSystem.move(beside, to: path)
    } catch {
      FileSystem.remove(beside)
      throw error
    }
  }
}

/// Files and folders that appear at a path whole, and on the disk, or not at all.
///
/// A kill at any moment leaves what was there before, or what is new. What it leaves beside the path
/// is removed by the next that comes there.
package enum Staging {
  /// Why nothing appeared, apart from the making itself.
  package enum StagingError: Error {
    case alreadyExists(String)
    case unwritable(String, FileError)
  }

  /// Makes a folder and lets it be filled.
  package static func directory<Failure>(
    at path: String, overwriting: Bool, mapError: (StagingError) -> Failure,
    _ fill: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    let path = FilePath.removingTrailingSlashes(path)
    try rejectExisting(path, unless: overwriting, mapError)
    let made = try attempt(path, mapError) { () throws(FileError) in
      try DirectoryLock.createStagingDirectory(beside: path)
    }
    try install(made.path, at: path, overwriting, mapError, fill)
    withExtendedLifetime(made.lock) { AtomicReplace.removeAbandoned(beside: path) }
  }

  /// Lets a file be made, in a folder of its own: what is held can be told from what was left.
  package static func file<Failure>(
    at path: String, overwriting: Bool, mapError: (StagingError) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try rejectExisting(path, unless: overwriting, mapError)
    let made = try attempt(path, mapError) { () throws(FileError) in
      try DirectoryLock.createStagingDirectory(beside: path)
    }
    defer { withExtendedLifetime(made.lock) { FileSystem.remove(made.path) } }
    try install(made.path + "/" + stagedName, at: path, overwriting, mapError, make)
    AtomicReplace.removeAbandoned(beside: path)
  }

  /// What a file is called in the folder in which it is made.
  private static let stagedName = "file"

  private static func install<Failure>(
    _ staging: String, at path: String, _ overwriting: Bool, _ failure: (StagingError) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try make(staging)
      try rejectExisting(path, unless: overwriting, failure)  // somebody else may have been faster
      try attempt(path, failure) { () throws(FileError) in try FileSystem.sync(staging) }
      try move(staging, to: path, overwriting, failure)
      try attempt(path, failure) { () throws(FileError) in
        try FileSystem.syncItem(FilePath.parent(of: path))
      }
    } catch {
      FileSystem.remove(staging)
      throw error
    }
  }

  /// A folder that must not take the place of another one is renamed, which the system refuses then.
  private static func move<Failure>(
    _ staging: String, to path: String, _ overwriting: Bool, _ failure: (StagingError) -> Failure
  ) throws(Failure) {
    do throws(FileError) {
      try overwriting ? AtomicReplace.move(staging, to: path) : FileSystem.move(staging, to: path)
    } catch {
      try rejectExisting(path, unless: overwriting, failure)  // somebody else has been faster
      throw failure(.unwritable(path, error))
    }
  }

  private static func rejectExisting<Failure>(
    _ path: String, unless overwriting: Bool, _ failure: (StagingError) -> Failure
  ) throws(Failure) {
    guard !overwriting, FileKind(at: path, followingSymlinks: false) != nil else { return }
    throw failure(.alreadyExists(path))
  }

  private static func attempt<Value, Failure: Error>(
    _ path: String, _ failure: (StagingError) -> Failure, _ body: () throws(FileError) -> Value
  ) throws(Failure) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw failure(.unwritable(path, error))
    }
  }
}
