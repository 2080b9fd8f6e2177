#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// By what one sees, without reading it, that a file is the same as before.
package struct FileStamp: Sendable, Hashable {
  /// How many bytes it has.
  package let byteCount: Int
  /// When it was last written, in nanoseconds of the system's clock.
  package let written: Int64

  /// The stamp of what is at a path; `nil` where there is nothing.
  ///
  /// The corresponding C function is `stat`.
  package init?(_ path: String) {
    var facts = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_mtimespec
    #else
      let time = facts.st_mtim
    #endif
    byteCount = Int(clamping: facts.st_size)
    written = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
