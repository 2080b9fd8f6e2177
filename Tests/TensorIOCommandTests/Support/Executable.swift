import Foundation
import TensorIOTestSupport
import Testing

/// The `tensorio` that was built beside the tests.
struct Executable {
  /// The variables that are set besides the test's own; an empty one is not set at all.
  var environment: [String: String] = [:]

  static func path() throws -> String {
    let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [
      beside.appending(path: "tensorio").path, ProjectFiles.path(".build/debug/tensorio"),
    ]
    return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0) })
  }

  /// Runs a command line and waits for its end.
  func run(_ words: [String], input: [UInt8] = []) throws -> CommandResult {
    let process = try RunningProcess(try Self.path(), words, environment)
    process.write(input)
    return process.wait()
  }

  /// Starts a command line whose standard input stays open.
  func start(_ words: [String]) throws -> RunningProcess {
    try RunningProcess(try Self.path(), words, environment)
  }

  /// Runs a script of bash, in which `$tensorio` is the executable.
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
    // Files, unlike pipes, need nobody who empties them while the process writes.
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

  /// Writes all that will ever stand on the standard input.
  func write(_ bytes: [UInt8]) {
    // A process that wants no input may be gone already.
    try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
    try? input.fileHandleForWriting.close()
  }

  /// Waits until a text stands among the messages, or the process has ended.
  func waitForMessage(_ text: String) throws { try wait(for: text, in: messages) }

  /// Waits until a text stands among the data, or the process has ended.
  func waitForOutput(_ text: String) throws { try wait(for: text, in: output) }

  private func wait(for text: String, in file: URL) throws {
    while process.isRunning, !(try read(file).contains(text)) { usleep(10_000) }
    #expect(try read(file).contains(text))
  }

  /// The data that it has written so far.
  var text: String { get throws { try read(output) } }

  /// Asks it to end, as a system does that shuts down.
  func terminate() { Foundation.kill(process.processIdentifier, SIGTERM) }

  /// Its number.
  var id: Int32 { process.processIdentifier }

  /// Whether it has not ended.
  var isRunning: Bool { process.isRunning }

  /// Interrupts it as a user does from the keyboard.
  func interrupt() { process.interrupt() }

  /// Ends it in a way that leaves it no time for anything.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for its end.
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
