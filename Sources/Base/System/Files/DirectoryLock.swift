/// An exclusive lock on a directory, held for the lifetime of the value or the process.
///
/// A directory left by a killed process is not locked, so the next process can recognize and remove
/// it.
package final class DirectoryLock: Sendable {
  private let descriptor: CInt

  /// Locks a directory owned by the user; `nil` if it is locked already or cannot be locked.
  package convenience init?(_ path: String) { self.init(path, LOCK_EX | LOCK_NB) }

  /// Waits for a lock on a directory, which may belong to another user or be named by a link.
  ///
  /// - Throws: A ``FileError`` if the directory cannot be locked.
  package static func acquire(_ path: String) throws(FileError) -> DirectoryLock {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .lastError }
    let lock = DirectoryLock(descriptor: descriptor)
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .lastError }
    }
    return lock
  }

  private init(descriptor: CInt) { self.descriptor = descriptor }

  /// The corresponding C function is `flock`.
  private init?(_ path: String, _ operation: CInt) {
    guard !path.utf8.contains(0) else { return nil }
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    // If the initializer fails here, `deinit` closes the descriptor, because all properties are
    // set.
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(),
      flock(descriptor, operation) == 0
    else { return nil }
  }

  deinit {
    // A child process shares the lock until it has started its program.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Creates a directory and locks it; the lock is `nil` if the file system does not support locks.
  ///
  /// Another process may take the directory for a leftover before it is locked. It holds the lock
  /// while it removes the directory, so the directory is gone when the lock is acquired, and a new
  /// one is created.
  package static func create(
    _ makeDirectory: () throws(FileError) -> String
  ) throws(FileError) -> (path: String, lock: DirectoryLock?) {
    while true {
      let path = try makeDirectory()
      let lock = DirectoryLock(path, LOCK_EX)
      if FileKind(at: path, followingSymlinks: false) == .directory { return (path, lock) }
    }
  }

  /// Creates and locks a staging directory next to a path.
  package static func createStagingDirectory(
    beside target: String
  ) throws(FileError) -> (path: String, lock: DirectoryLock?) {
    try create { () throws(FileError) in
      let path = AtomicReplace.stagingPath(for: target)
      try FileSystem.createDirectory(path)
      return path
    }
  }

  /// Removes a directory unless it is locked.
  package static func removeIfAbandoned(_ path: String) {
    guard let lock = DirectoryLock(path) else { return }
    withExtendedLifetime(lock) { FileSystem.remove(path) }
  }
}

/// A directory in the system's temporary directory.
///
/// Leftovers of killed processes with the same prefix are removed when a new one is created.
package final class TemporaryDirectory: Sendable {
  /// The path of the directory.
  package let path: String

  private let lock: DirectoryLock?

  /// Creates an empty directory that only the user can access.
  package init(prefix name: String) throws(FileError) {
    Self.removeAbandoned(prefix: name)
    (path, lock) = try DirectoryLock.create { () throws(FileError) in
      try FileSystem.createTemporaryDirectory(name)
    }
  }

  /// Recreates a removed directory under its previous path.
  package init(recreating path: String) throws(FileError) {
    (self.path, lock) = try DirectoryLock.create { () throws(FileError) in
      try FileSystem.createDirectory(path, isPrivate: true)
      return path
    }
  }

  /// Removes the directory and its contents.
  package func remove() { FileSystem.remove(path) }

  private static func removeAbandoned(prefix name: String) {
    let parent = FileSystem.temporaryDirectory
    for entry in (try? FileSystem.entryNames(in: parent)) ?? [] where entry.hasPrefix(name + ".") {
      DirectoryLock.removeIfAbandoned(parent + "/" + entry)
    }
  }
}
