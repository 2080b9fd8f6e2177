import Foundation
import TensorIOTestSupport
import Testing

/// `tensorio serve` as a process of its own, which ends with the value.
final class ServedExamples {
  private let process: RunningProcess
  /// Where it answers.
  let address: String

  /// Starts it, with no more descriptors than are said.
  init(
    _ words: [String] = [Example.bundles], environment: [String: String] = [:],
    descriptors: Int? = nil
  ) throws {
    let words = ["serve"] + words + ["--port", "0", "--log", "json"]
    if let descriptors {
      let script = "ulimit -n \(descriptors); exec \"$0\" \"$@\""
      process = try RunningProcess(
        "/bin/bash", ["-c", script, try Executable.path()] + words, environment)
    } else {
      process = try Executable(environment: environment).start(words)
    }
    try process.waitForOutput("\n")
    let line = try #require(try process.text.split(separator: "\n").first)
    address = String(try #require(line.split(separator: " ").last))
  }

  deinit { if process.isRunning { process.kill() } }

  /// The number of its process.
  var id: Int32 { process.id }
  /// Whether its process is there.
  var isRunning: Bool { process.isRunning }

  /// A connection to it.
  func client() throws -> RawHTTPClient {
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    return try RawHTTPClient(port: port)
  }

  /// Asks it to end, and waits.
  func end() -> CommandResult {
    process.terminate()
    return process.wait()
  }

  /// Runs a line of a shell in the project's folder, with the server's own address.
  func shell(_ line: String) throws -> CommandResult {
    let here = line.replacing("http://127.0.0.1:8000", with: address)
    return try Executable().script("cd '\(ProjectFiles.root.path)' && \(here)")
  }
}

extension Example {
  static let bundles = ProjectFiles.path("Examples/Bundles")
}

extension String {
  /// A record without what differs between two runs on the same values.
  var withoutTimes: String {
    replacing(#/"timing_ms":\{[^}]*\}/#, with: "").replacing(#/"input":"[^"]*"/#, with: "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
