#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// How many files and connections the process may have open.
enum FileDescriptorLimit {
  #if canImport(Glibc)
    private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let kind = RLIMIT_NOFILE
  #endif

  /// Asks for as many as are wanted, or for as many as the system grants; never for less.
  ///
  /// Gives how many there are then, and no more than are wanted.
  static func raise(to count: Int) -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(kind, &limit) == 0 else { return count }
    let wanted = min(limit.rlim_max, rlim_t(count))
    if wanted > limit.rlim_cur {
      let granted = limit.rlim_cur
      limit.rlim_cur = wanted
      if unsafe setrlimit(kind, &limit) != 0 { limit.rlim_cur = granted }
    }
    return Int(clamping: min(limit.rlim_cur, wanted))
  }
}
