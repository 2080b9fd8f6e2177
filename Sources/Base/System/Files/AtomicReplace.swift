/// Atomic replacement of files and directories.
package enum AtomicReplace {
  /// Returns a unique path in the same directory, from which an item can be renamed to `path`.
  package static func stagingPath(for path: String) -> String {
    "\(path).\(UInt32.random(in: 0 ... .max))\(stagingSuffix)"
  }

  private static let stagingSuffix = ".part"

  /// Removes staging directories next to a path that killed processes have left.
  ///
  /// Directories in use hold a ``DirectoryLock``.
  package static func removeAbandoned(beside path: String) {
    let prefix = FilePath.lastComponent(of: path) + "."
    let folder = FilePath.parent(of: path)
    for name in (try? FileSystem.entryNames(in: folder)) ?? []
    where name.hasPrefix(prefix) && name.hasSuffix(stagingSuffix) {
      let number = name.dropFirst(prefix.count).dropLast(stagingSuffix.count)
      if UInt32(number) != nil { DirectoryLock.removeIfAbandoned(folder + "/" + name) }
    }
  }

  /// Moves a file or directory to a path, replacing what exists there.
  ///
  /// If the file system can exchange two names, the replacement is atomic. Otherwise, an existing
  /// directory is renamed first, and renamed back if the new one cannot be moved.
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

  /// Exchanges the names of two items.
  ///
  /// Returns false if the system does not support it.
  ///
  /// The corresponding C function is `renameat2`, which older C libraries lack.
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
  /// Flushes a file, or a directory and its contents, to disk.
  ///
  /// The corresponding C function is `fsync`.
  package static func sync(_ path: String) throws(FileError) {
    if FileKind(at: path, followingSymlinks: false) == .directory {
      for name in try entryNames(in: path) { try sync(path + "/" + name) }
    }
    try syncItem(path)
  }

  /// Flushes a file, or the entries of a directory, to disk.
  package static func syncItem(_ path: String) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .lastError }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .lastError }
  }
}

/// Atomic writing of files.
package enum AtomicFile {
  /// Writes a file under a temporary name and renames it.
  ///
  /// A file that replaces another keeps its permissions.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - path: The path of the file.
  ///   - isPrivate: Whether only the owner can access the file.
  ///   - isDurable: Whether the file survives a failure of the system once this function has
  ///     returned, and leftovers of killed processes are removed. Files in a folder that is itself
  ///     staged, and files that can be written again, need neither.
  /// - Throws: A ``FileError`` if the file cannot be written; an existing file is unchanged.
  package static func write(
    _ bytes: [UInt8], to path: String, isPrivate: Bool = false, isDurable: Bool = true
  ) throws(FileError) {
    guard FileKind(at: path, followingSymlinks: false) != .directory else { throw .system(EISDIR) }
    if isDurable {
      try Staging.file(at: path, overwriting: true, mapError: FileError.init) {
        (staging) throws(FileError) in
        try write(bytes, staged: staging, for: path, isPrivate: isPrivate)
      }
    } else {
      let staging = AtomicReplace.stagingPath(for: path)
      do throws(FileError) {
        try write(bytes, staged: staging, for: path, isPrivate: isPrivate)
        try FileSystem.move(staging, to: path)
      } catch {
        FileSystem.remove(staging)
        throw error
      }
    }
  }

  private static func write(
    _ bytes: [UInt8], staged staging: String, for path: String, isPrivate: Bool
  ) throws(FileError) {
    let file = try WritableFile(creating: staging, isPrivate: isPrivate)
    if !isPrivate { try file.copyPermissions(of: path) }
    try file.write(bytes, at: 0)
    try file.close()
  }
}

extension FileError {
  fileprivate init(_ error: Staging.StagingError) {
    switch error {
    case .alreadyExists: self = .system(EEXIST)
    case .unwritable(_, let error): self = error
    }
  }
}

/// Atomic, durable creation of files and directories.
///
/// If the process is killed at any moment, the path holds either the previous or the new item.
/// Leftovers next to the path are removed by the next call.
package enum Staging {
  /// An error other than one from creating the contents.
  package enum StagingError: Error {
    case alreadyExists(String)
    case unwritable(String, FileError)
  }

  /// Creates a directory whose contents are written by a closure.
  package static func directory<Failure>(
    at path: String, overwriting: Bool, mapError: (StagingError) -> Failure,
    _ fill: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    let path = FilePath.removingTrailingSlashes(path)
    try rejectExisting(path, unless: overwriting, mapError)
    let staging = try attempt(path, mapError) { () throws(FileError) in
      try DirectoryLock.createStagingDirectory(beside: path)
    }
    try install(staging.path, at: path, overwriting, mapError, fill)
    withExtendedLifetime(staging.lock) { AtomicReplace.removeAbandoned(beside: path) }
  }

  /// Creates a file whose contents are written by a closure.
  ///
  /// The file is staged in a locked directory, so that leftovers can be distinguished from files in
  /// use.
  package static func file<Failure>(
    at path: String, overwriting: Bool, mapError: (StagingError) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    try rejectExisting(path, unless: overwriting, mapError)
    let staging = try attempt(path, mapError) { () throws(FileError) in
      try DirectoryLock.createStagingDirectory(beside: path)
    }
    defer { withExtendedLifetime(staging.lock) { FileSystem.remove(staging.path) } }
    try install(staging.path + "/" + stagedName, at: path, overwriting, mapError, make)
    AtomicReplace.removeAbandoned(beside: path)
  }

  /// The name of the file in its staging directory.
  private static let stagedName = "file"

  private static func install<Failure>(
    _ staging: String, at path: String, _ overwriting: Bool, _ failure: (StagingError) -> Failure,
    _ make: (_ staging: String) throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try make(staging)
      try rejectExisting(path, unless: overwriting, failure)  // another process may have created it
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

  /// Renames a directory without replacing an existing one, which the system guarantees.
  private static func move<Failure>(
    _ staging: String, to path: String, _ overwriting: Bool, _ failure: (StagingError) -> Failure
  ) throws(Failure) {
    do throws(FileError) {
      try overwriting ? AtomicReplace.move(staging, to: path) : FileSystem.move(staging, to: path)
    } catch {
      try rejectExisting(path, unless: overwriting, failure)  // another process created it
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
