import Foundation
import Testing

/// Statistics of another process, from `/proc`.
struct ProcessStatistics {
  private let id: Int32

  init(_ id: Int32) { self.id = id }

  /// The resident memory in KiB.
  var residentKiB: Int { get throws { try number("VmRSS") } }

  var threads: Int { get throws { try number("Threads") } }

  var descriptors: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count }
  }

  /// The processor time used so far in seconds.
  var processorSeconds: Double {
    get throws {
      let text = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
      // The process name can contain any character and ends with the last parenthesis.
      let words = text.split(separator: ")").last?.split(separator: " ") ?? []
      let ticks = try [11, 12].map { try #require(Double(words[$0])) }
      return (ticks[0] + ticks[1]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  /// The identifiers of its running worker processes.
  var workers: [Int32] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        .filter { worker in
          let status = try? String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)
          return status?.contains("\nPPid:\t\(id)\n") == true
            && status?.hasPrefix("Name:\ttensorio-worker\n") == true
        }
    }
  }

  private func number(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
    return try #require(
      line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
  }
}
