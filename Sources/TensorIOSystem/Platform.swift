#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The few questions that the operating system is asked.
package enum Platform {
  /// A variable of the environment, where it is set and not empty.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The first line of a file that the kernel writes when it is asked, whose size says nothing.
  package static func line(ofKernelFile path: String) -> String? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestLine) { line in
      guard let text = unsafe fgets(line.baseAddress, CInt(line.count), file) else { return nil }
      return unsafe String(cString: text)
    }
  }

  /// How many characters of a line are read.
  private static let longestLine = 256

  /// How many processors are at work.
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
