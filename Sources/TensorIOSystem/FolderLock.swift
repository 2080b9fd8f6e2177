#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder that somebody is at work in, for as long as the value lives or the process does.
package final class FolderLock: Sendable {
  private let descriptor: CInt

  /// Locks a folder; `nil` where somebody else has, or the system cannot.
  ///
  /// The corresponding C function is `flock`.
  package init?(_ path: String) {
    guard !path.utf8.contains(0) else { return nil }
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
  }

  deinit {
    close(descriptor)
  }
}
