#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// By what one sees that the file or folder at a path is still the same one.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let number: UInt64
  /// When it came to its place or was last changed, in nanoseconds: numbers are given again to others.
  private let changed: Int64

  /// The identity of what is at a path; `nil` where there is nothing.
  ///
  /// The corresponding C function is `stat`.
  package init?(_ path: String) {
    var facts = stat()
    guard !path.utf8.contains(0), unsafe stat(path, &facts) == 0 else { return nil }
    #if canImport(Darwin)
      let time = facts.st_ctimespec
    #else
      let time = facts.st_ctim
    #endif
    (device, number) = (UInt64(truncatingIfNeeded: facts.st_dev), UInt64(facts.st_ino))
    changed = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The identity as a word.
  package var text: String { "\(device)-\(number)-\(changed)" }

  /// Whether the last change is so long ago that the clock tells the next one from it.
  package var isSettled: Bool {
    Int64(Platform.secondsNow) - changed / 1_000_000_000 >= Self.settlingSeconds
  }

  private static let settlingSeconds = 2
}
