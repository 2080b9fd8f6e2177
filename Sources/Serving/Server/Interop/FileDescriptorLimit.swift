import TensorIOSystem

/// The open files and connections of the process, and their limit.
enum FileDescriptorLimit {
  #if canImport(Glibc)
    private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let kind = RLIMIT_NOFILE
  #endif

  /// The number of open descriptors; `nil` if the system does not list them.
  static var openCount: Int? {
    // One of them is that of the list.
    (try? FileSystem.entryNames(in: "/proc/self/fd")).map { $0.count - 1 }
  }

  /// The soft limit.
  static var current: Int {
    var limit = rlimit()
    guard unsafe getrlimit(kind, &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the soft limit towards `count`, as far as the hard limit permits; never lowers it.
  ///
  /// Returns the limit after the call, at most `count`.
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
