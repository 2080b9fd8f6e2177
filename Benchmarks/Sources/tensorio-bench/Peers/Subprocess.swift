import Foundation

/// Runs other programs.
enum Subprocess {
  /// Returns the standard output of a program; its standard error is discarded.
  static func output(of words: [String]) throws -> Data {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw BenchError.failed(words)
    }
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError.failed(words) }
    return output
  }
}

/// Why nothing can be measured.
enum BenchError: Error, CustomStringConvertible {
  case usage(String)
  case failed([String])
  case unmeasured([String])
  case unreadable(program: String)
  case notAPicture
  case absent(String)

  var description: String {
    switch self {
    case .usage(let problem): problem
    case .failed(let words):
      "this did not work (run Benchmarks/peers/setup.sh?): \(words.joined(separator: " "))"
    case .unmeasured(let jobs): "no figures of \(jobs.joined(separator: ", "))"
    case .unreadable(let program): "\(program) printed something unexpected"
    case .absent(let path): "skipped, because \(path) is absent"
    case .notAPicture: "the large model takes no picture"
    }
  }
}
