import Foundation
import Testing

/// The peak memory of this process.
public enum MemoryUsage {
  /// The peak number of resident bytes so far.
  public static var peakBytes: Int {
    get throws {
      #if canImport(Darwin)
        var usage = rusage()
        try #require(unsafe getrusage(RUSAGE_SELF, &usage) == 0)
        return usage.ru_maxrss
      #else
        // The value of `getrusage` includes the peak memory of the parent process.
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let kibibytes = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first)
        return try #require(Int(kibibytes)) * 1024
      #endif
    }
  }
}
