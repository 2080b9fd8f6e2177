#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder that somebody is at work in, for as long as the value lives or the process does.
///
/// A process that is killed leaves its folder behind, and nobody holds it any more: by that it is
/// known, and removed by the next.
package final class DirectoryLock: Sendable {
  private let descriptor: CInt

  /// Locks a folder of one's own; `nil` where somebody else has, or the system cannot.
  package convenience init?(_ path: String) { self.init(path, LOCK_EX | LOCK_NB) }

  /// Locks a folder as soon as nobody else has; `nil` where the system cannot.
  package static func acquire(_ path: String) -> DirectoryLock? { DirectoryLock(path, LOCK_EX) }

  /// The corresponding C function is `flock`.
  private init?(_ path: String, _ operation: CInt) {
    guard !path.utf8.contains(0) else { return nil }
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    // What is not given is closed all the same, once: an object that is whole runs its `deinit`.
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(),
      flock(descriptor, operation) == 0
    else { return nil }
  }

  deinit {
    close(descriptor)
  }

  /// Makes a folder and holds it; there is no lock where the file system has none.
  ///
  /// Before it is held, the folder may be taken for one that was left behind. Whoever does so has it
  /// locked, so when the lock comes the folder is gone, and another is made.
  package static func create(
    _ making: () throws(FileError) -> String
  ) throws(FileError) -> (path: String, lock: DirectoryLock?) {
    while true {
      let path = try making()
      let lock = DirectoryLock(path, LOCK_EX)
      if FileKind(at: path, followingSymlinks: false) == .directory { return (path, lock) }
    }
  }

  /// Makes a folder beside a place, in which what shall be there is made ready, and holds it.
  package static func createStagingDirectory(
    beside place: String
  ) throws(FileError) -> (path: String, lock: DirectoryLock?) {
    try create { () throws(FileError) in
      let path = AtomicReplace.stagingPath(for: place)
      try FileSystem.createDirectory(path)
      return path
    }
  }

  /// Removes a folder that nobody holds.
  package static func removeIfAbandoned(_ path: String) {
    guard let lock = DirectoryLock(path) else { return }
    withExtendedLifetime(lock) { FileSystem.remove(path) }
  }
}

/// A folder among the system's temporary ones, for as long as it is needed.
///
/// What killed processes have left under the same name is removed when the next is made.
package final class TemporaryDirectory: Sendable {
  /// Where the folder lies.
  package let path: String

  private let lock: DirectoryLock?

  /// Makes an empty folder, which nobody else may enter.
  package init(prefix name: String) throws(FileError) {
    Self.removeAbandoned(prefix: name)
    (path, lock) = try DirectoryLock.create { () throws(FileError) in
      try FileSystem.createTemporaryDirectory(name)
    }
  }

  /// Makes the empty folder again that was removed, under its name of then.
  package init(recreating path: String) throws(FileError) {
    (self.path, lock) = try DirectoryLock.create { () throws(FileError) in
      try FileSystem.createDirectory(path, isPrivate: true)
      return path
    }
  }

  /// Removes the folder with all that is in it.
  package func remove() { FileSystem.remove(path) }

  private static func removeAbandoned(prefix name: String) {
    let parent = FileSystem.temporaryDirectory
    for entry in (try? FileSystem.entryNames(in: parent)) ?? [] where entry.hasPrefix(name + ".") {
      DirectoryLock.removeIfAbandoned(parent + "/" + entry)
    }
  }
}
