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
package final class FolderLock: Sendable {
  private let descriptor: CInt

  /// Locks a folder of one's own; `nil` where somebody else has, or the system cannot.
  package convenience init?(_ path: String) { self.init(path, LOCK_EX | LOCK_NB) }

  /// Locks a folder as soon as nobody else has; `nil` where the system cannot.
  package static func waiting(_ path: String) -> FolderLock? { FolderLock(path, LOCK_EX) }

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
  package static func make(
    _ making: () throws(FileFault) -> String
  ) throws(FileFault) -> (path: String, lock: FolderLock?) {
    while true {
      let path = try making()
      let lock = FolderLock(path, LOCK_EX)
      if FileKind(at: path, followingLinks: false) == .folder { return (path, lock) }
    }
  }

  /// Makes a folder beside a place, in which what shall be there is made ready, and holds it.
  package static func make(
    beside place: String
  ) throws(FileFault) -> (path: String, lock: FolderLock?) {
    try make { () throws(FileFault) in
      let path = Placement.beside(place)
      try Folder.make(path)
      return path
    }
  }

  /// Removes a folder that nobody holds.
  package static func removeLeftover(_ path: String) {
    guard let lock = FolderLock(path) else { return }
    withExtendedLifetime(lock) { Folder.remove(path) }
  }
}
