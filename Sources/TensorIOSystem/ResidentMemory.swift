#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The memory that the process takes.
package enum ResidentMemory {
  /// How many bytes of the process are in memory now; `nil` where the system does not tell.
  package static var byteCount: Int? {
    #if canImport(Darwin)
      var facts = rusage_info_v0()
      let status = unsafe withUnsafeMutablePointer(to: &facts) { facts in
        unsafe facts.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
          unsafe proc_pid_rusage(getpid(), RUSAGE_INFO_V0, $0)
        }
      }
      return status == 0 ? Int(clamping: facts.ri_resident_size) : nil
    #else
      // The second number counts pages.
      let bytes = (try? FileBytes.beginning(of: "/proc/self/statm", limit: 256)) ?? []
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
      let pageSize = sysconf(Int32(_SC_PAGESIZE))
      let (resident, overflow) = pages.multipliedReportingOverflow(by: pageSize)
      return overflow ? nil : resident
    #endif
  }
}
