#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder among the system's temporary ones, for as long as it is needed.
///
/// A process that is killed leaves its folder behind. So a folder is locked while it is in use, and
/// whoever makes the next of the same name removes those that nobody holds any more.
package final class ScratchFolder: Sendable {
  /// Where the folder lies.
  package let path: String

  /// What holds the lock; `nil` where the file system has none.
  private let descriptor: CInt?

  /// Makes an empty folder, which nobody else may enter.
  package init(_ name: String) throws(FileFault) {
    Self.removeLeftovers(of: name)
    (path, descriptor) = try Self.make(name)
  }

  deinit {
    // Nothing was written to the descriptor, so nothing can be lost.
    if let descriptor { _ = close(descriptor) }
  }

  /// Removes the folder with all that is in it.
  package func remove() { Folder.remove(path) }

  /// Between its making and its locking, a folder may be taken for one that was left behind.
  private static func make(_ name: String) throws(FileFault) -> (String, CInt?) {
    while true {
      let path = try Folder.makeTemporary(name)
      let descriptor = lock(path)
      if descriptor != nil || FileKind(at: path) == .folder { return (path, descriptor) }
    }
  }

  private static func removeLeftovers(of name: String) {
    let parent = Folder.temporary
    for entry in (try? Folder.names(in: parent)) ?? [] where entry.hasPrefix(name + ".") {
      let path = parent + "/" + entry
      guard let descriptor = lock(path) else { continue }
      Folder.remove(path)
      _ = close(descriptor)
    }
  }

  /// Takes a folder of one's own that nobody holds.
  ///
  /// The corresponding C function is `flock`.
  private static func lock(_ path: String) -> CInt? {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(),
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else {
      _ = close(descriptor)
      return nil
    }
    return descriptor
  }
}
