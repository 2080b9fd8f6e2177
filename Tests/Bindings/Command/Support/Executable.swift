import Foundation
import TensorIOTestSupport
import Testing

/// The `tensorio` program built with the tests.
struct Executable {
  /// Additional environment variables; one with an empty value is removed.
  var environment: [String: String] = [:]

  static func path() throws -> String {
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [
      beside.appending(path: "tensorio").path, ProjectFiles.path(".build/debug/tensorio"),
    ]
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
  }

  /// Runs a command line and waits for it to exit.
  func run(_ words: [String], input: [UInt8] = []) throws -> CommandResult {
    let process = try RunningProcess(try Self.path(), words, environment)
    process.write(input)
    return process.wait()
  }

  /// Starts a command line with open standard input.
  func start(_ words: [String]) throws -> RunningProcess {
    try RunningProcess(try Self.path(), words, environment)
  }

  /// Runs a bash script, in which `$tensorio` is the executable.
  func script(_ text: String) throws -> CommandResult {
    var environment = environment
    environment["tensorio"] = try Self.path()
    let process = try RunningProcess("/bin/bash", ["-c", text], environment)
    process.write([])
    return process.wait()
  }
}

/// A process and its streams.
final class RunningProcess {
  private let process = Process()
  private let input = Pipe()
  private let output: URL
  private let messages: URL
  private let folder: TemporaryFolder

  init(_ path: String, _ words: [String], _ environment: [String: String]) throws {
    folder = try TemporaryFolder()
    // Unlike pipes, files need not be read while the process writes.
    output = URL(filePath: try folder.write("", to: "output"))
    messages = URL(filePath: try folder.write("", to: "messages"))
    process.executableURL = URL(filePath: path)
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment
      .merging(environment) { $1 }.filter { !$0.value.isEmpty }
    process.standardInput = input
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: messages)
    try process.run()
  }

  /// Writes standard input and closes it.
  func write(_ bytes: [UInt8]) {
    // The process may have exited without reading its input.
    try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try? input.fileHandleForWriting.close()
  }

  /// Waits until the messages contain a text, or the process exits.
  func waitForMessage(_ text: String) throws { try wait(for: text, in: messages) }

  /// Waits until the output contains a text, or the process exits.
  func waitForOutput(_ text: String) throws { try wait(for: text, in: output) }

  private func wait(for text: String, in file: URL) throws {
    while process.isRunning, !(try read(file).contains(text)) { usleep(10_000) }
    #expect(try read(file).contains(text))
  }

  /// The output so far.
  var text: String { get throws { try read(output) } }

  /// Sends SIGTERM.
  func terminate() { Foundation.kill(process.processIdentifier, SIGTERM) }

  /// The process identifier.
  var id: Int32 { process.processIdentifier }

  /// Whether the process is running.
  var isRunning: Bool { process.isRunning }

  /// Sends SIGINT.
  func interrupt() { process.interrupt() }

  /// Sends SIGKILL.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the process to exit, and returns its result.
  func wait() -> CommandResult {
    process.waitUntilExit()
    try? input.fileHandleForWriting.close()
    let wasKilled = process.terminationReason == .uncaughtSignal
    return CommandResult(
      exitCode: wasKilled ? -process.terminationStatus : process.terminationStatus,
      output: (try? read(output)) ?? "", messages: (try? read(messages)) ?? "")
  }

  private func read(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
  }
}
