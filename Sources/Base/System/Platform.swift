/// Environment variables, time and processors.
package enum Platform {
  /// Returns the value of an environment variable; `nil` if it is not set or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Returns the values of the environment variables that are set and not empty.
  package static func environment(of names: [String]) -> [String: String] {
    let values = names.compactMap { name in environment(name).map { (name, $0) } }
    return Dictionary(values, uniquingKeysWith: { first, _ in first })
  }

  /// The current time in UTC, such as `2026-11-22T00:15:00Z`.
  ///
  /// The corresponding C functions are `time`, `gmtime_r` and `strftime`.
  package static var timestamp: String {
    var seconds = time(nil)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The current time, in seconds since 1970.
  ///
  /// The corresponding C function is `time`.
  package static var unixTime: Int { time(nil) }

  /// The current time, in nanoseconds since 1970.
  ///
  /// The corresponding C function is `clock_gettime`.
  package static var unixNanoseconds: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  /// The number of processors online.
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The memory of the machine, in bytes.
  package static var physicalMemory: Int {
    let (bytes, overflow) = sysconf(Int32(_SC_PHYS_PAGES))
      .multipliedReportingOverflow(by: sysconf(Int32(_SC_PAGESIZE)))
    return overflow || bytes <= 0 ? .max : bytes
  }

  /// The memory that this process and others of its container may use, in bytes.
  package static var availableMemory: Int {
    min(ControlGroup.current.memoryLimit ?? .max, physicalMemory)
  }

  /// The memory that this process and others of its container may use in addition, in bytes; `nil` if the system does
  /// not report it.
  package static var freeMemory: Int? {
    let machine = (try? FileBytes.prefix(of: "/proc/meminfo", limit: 1 << 14)).flatMap { bytes in
      String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix("MemAvailable:") }?.split(separator: " ").dropFirst().first
        .flatMap { Int($0) }.map { $0 << 10 }
    }
    return [machine, ControlGroup.current.freeMemory].compactMap(\.self).min()
  }

  /// The name of the processor; `nil` if the system does not report it.
  package static var processorName: String? {
    (try? FileBytes.prefix(of: "/proc/cpuinfo", limit: 1 << 14)).flatMap { bytes in
      String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        .first { $0.hasPrefix("model name") }?.split(separator: ":", maxSplits: 1).last?.trimmed
    }
  }

  /// Returns memory that the process has freed to the system, if the C library can.
  package static func returnFreeMemory() {
    guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
    let trim = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)
    _ = trim(0)
  }
}

/// The memory of the process.
package enum ProcessMemory {
  /// The resident memory of the process, in bytes; `nil` if the system does not report it.
  package static var residentBytes: Int? {
    #if canImport(Darwin)
      return residentBytes(of: getpid())
    #else
      return residentBytes(ofProcess: "self")
    #endif
  }

  /// The resident memory of another process, in bytes; `nil` if the system does not report it.
  package static func residentBytes(of process: Int32) -> Int? {
    #if canImport(Darwin)
      var facts = rusage_info_v0()
      let status = unsafe withUnsafeMutablePointer(to: &facts) { facts in
        unsafe facts.withMemoryRebound(to: rusage_info_t?.self, capacity: 1) {
          unsafe proc_pid_rusage(process, RUSAGE_INFO_V0, $0)
        }
      }
      return status == 0 ? Int(clamping: facts.ri_resident_size) : nil
    #else
      return residentBytes(ofProcess: "\(process)")
    #endif
  }

  #if !canImport(Darwin)
    /// The second field of `statm` is the number of resident pages.
    private static func residentBytes(ofProcess name: String) -> Int? {
      let bytes = (try? FileBytes.prefix(of: "/proc/\(name)/statm", limit: 256)) ?? []
      let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
      let pageSize = sysconf(Int32(_SC_PAGESIZE))
      let (resident, overflow) = pages.multipliedReportingOverflow(by: pageSize)
      return overflow ? nil : resident
    }
  #endif
}
