import Foundation
import TensorIOTestSupport
import Testing

/// A `tensorio serve` process, which is killed with its owner.
final class ServedExamples {
  private let process: RunningProcess
  /// The URL of the server.
  let address: String

  /// Starts the server, with a limit on open descriptors.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - environment: Additional environment variables.
  ///   - descriptors: The maximum number of open descriptors.
  ///   - ignoresHangup: Whether the server is started with SIGHUP ignored.
  ///   - redirection: The redirection of its streams, as in bash.
  ///   - addressFile: The file with the first line of a redirected output.
  /// - Throws: An error if the server does not start.
  init(
    _ words: [String] = [Example.bundles], environment: [String: String] = [:],
    descriptors: Int? = nil, ignoresHangup: Bool = false, redirection: String = "",
    addressFile: String? = nil
  ) throws {
    let words = ["serve"] + words + ["--port", "0", "--access-log", "json"]
    if descriptors != nil || ignoresHangup || !redirection.isEmpty {
      let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
      let script =
        "\(limit)\(ignoresHangup ? "trap '' HUP; " : "")exec \"$0\" \"$@\" \(redirection)"
      process = try RunningProcess(
        "/bin/bash", ["-c", script, try Executable.path()] + words, environment)
    } else {
      process = try Executable(environment: environment).start(words)
    }
    var text = ""
    if let addressFile {
      while !text.hasSuffix("\n"), process.isRunning {
        usleep(10_000)
        text = (try? String(contentsOfFile: addressFile, encoding: .utf8)) ?? ""
      }
    } else {
      try process.waitForOutput("\n")
      text = try process.text
    }
    let line = try #require(text.split(separator: "\n").first)
    address = String(try #require(line.split(separator: " ").last))
  }

  deinit { if process.isRunning { process.kill() } }

  /// The process identifier.
  var id: Int32 { process.id }
  /// Whether the process is running.
  var isRunning: Bool { process.isRunning }

  /// Waits until the server has loaded its models, or found that it cannot.
  func waitUntilReady() throws {
    let request = "curl -sf -o /dev/null \(address)/v2/health/ready"
    let loop = "timeout \(HangGuard.stepSeconds) bash -c 'until \(request); do sleep 0.1; done'"
    try #require(try shell(loop).exitCode == 0)
  }

  /// Opens a connection.
  func client() throws -> RawHTTPClient {
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    return try RawHTTPClient(port: port)
  }

  /// Stops the server with SIGTERM, and waits for it to exit.
  func end() -> CommandResult {
    process.terminate()
    return process.wait()
  }

  /// Returns the URL of the metrics on a port of their own.
  func metricsAddress() throws -> String {
    try process.waitForOutput("/metrics\n")
    let line = try process.text.split(separator: "\n").first { $0.hasPrefix("metrics at ") }
    return String(try #require(line).dropFirst("metrics at ".count))
  }

  /// Returns the example request that the server prints; `nil` if it prints none.
  func exampleRequest() throws -> String? {
    try process.waitForOutput("try: ")
    try process.waitForOutput("/predict")
    let line = try process.text.split(separator: "\n").first { $0.hasPrefix("try: ") }
    return line.map { String($0.dropFirst("try: ".count)) }
  }

  /// Waits until the log contains a text.
  func waitForMessage(_ text: String) throws { try process.waitForMessage(text) }

  /// Waits for the server to exit.
  func wait() -> CommandResult { process.wait() }

  /// Runs a shell command in the project's folder, with the server's address in place of the default.
  func shell(_ line: String) throws -> CommandResult {
    let here = line.replacing("http://127.0.0.1:8000", with: address)
    return try Executable().script("cd '\(ProjectFiles.root.path)' && \(here)")
  }
}

extension Example {
  static let bundles = ProjectFiles.path("Examples/Bundles")
}

extension String {
  /// The record without timings and input names.
  var withoutTimes: String {
    replacing(#/"timing_ms":\{[^}]*\}/#, with: "").replacing(#/"input":"[^"]*"/#, with: "")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
