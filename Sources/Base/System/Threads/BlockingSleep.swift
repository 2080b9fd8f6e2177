#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A pause of the calling thread, for code that cannot suspend.
package enum BlockingSleep {
  /// Blocks the calling thread for a time between 0 and one second.
  package static func sleep(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    guard seconds >= 0, attoseconds >= 0 else { return }
    usleep(seconds > 0 ? 1_000_000 : UInt32(clamping: attoseconds / 1_000_000_000_000))
  }
}
