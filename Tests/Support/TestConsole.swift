import Foundation
import Synchronization
import TensorIOCommand
import TensorIOCore

/// Runs commands in the test process with in-memory streams.
public struct TestConsole: Sendable {
  /// The contents of standard input.
  public var input: [UInt8] = []
  /// The environment variables.
  public var environment: [String: String] = [:]
  /// Whether standard output is a terminal.
  public var isTerminal = false
  /// Whether standard input is a terminal.
  public var isInputTerminal = false
  /// The number of columns of the terminal that results and messages are written to; `nil` without one.
  public var columns: Int?
  /// The name by which the program was invoked.
  public var program: String?

  /// The number of polls after which an interrupt is reported; `nil` for never.
  public var interruptAfterPolls: Int?

  public init() {}

  /// Runs a command line.
  @discardableResult
  public func run(_ words: [String]) -> CommandResult {
    let streams = Streams()
    let (input, environment, program) = (input, environment, ProgramName(invokedAs: program))
    let columns = columns
    let (polls, limit) = (Streams(), interruptAfterPolls ?? .max)
    let isInterrupted: @Sendable () -> Bool = {
      polls.append(output: [0])
      return polls.output.utf8.count > limit
    }
    let console = Console(
      writeOutput: { streams.append(output: $0) },
      writeMessage: { message in
        // Commands report their progress after ten seconds, which a busy machine can take.
        if !String(decoding: message, as: UTF8.self).hasSuffix(" s left\n") {
          streams.append(message: message)
        }
      },
      readInput: { _ in input }, isInputTerminal: isInputTerminal, isOutputTerminal: isTerminal,
      isMessageTerminal: isTerminal && columns != nil, terminalColumns: { columns },
      environment: { environment[$0] }, program: program, observeInterrupts: { isInterrupted })
    let exit = TensorIOCommand.run(words, on: console)
    return CommandResult(
      exitCode: exit.rawValue, output: streams.output, messages: streams.message,
      outputBytes: streams.outputBytes)
  }

  /// Runs a command line with empty standard input.
  @discardableResult
  public static func run(_ words: [String]) -> CommandResult { TestConsole().run(words) }
}

/// The result of a command.
public struct CommandResult: Sendable {
  public let exitCode: Int32
  /// Standard output.
  public let output: String
  /// Standard error.
  public let messages: String
  /// Standard output, which need not be text.
  public let outputBytes: [UInt8]

  public init(
    exitCode: Int32, output: String, messages: String, outputBytes: [UInt8] = []
  ) {
    self.outputBytes = outputBytes
    self.exitCode = exitCode
    self.output = output
    self.messages = messages
  }

  /// The lines of standard output.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }
  /// The first line of standard error.
  public var firstMessageLine: String {
    messages.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// Parses standard output as one JSON document.
  public func json() throws -> JSONTree { try JSONTree(output) }
  /// Parses each line of standard output as a JSON document.
  public func jsonLines() throws -> [JSONTree] { try lines.map { try JSONTree($0) } }
}

private final class Streams: Sendable {
  private let bytes = Mutex<(output: [UInt8], message: [UInt8])>(([], []))

  func append(output: [UInt8]) { bytes.withLock { $0.output += output } }
  func append(message: [UInt8]) { bytes.withLock { $0.message += message } }

  var outputBytes: [UInt8] { bytes.withLock { $0.output } }
  var output: String { String(decoding: outputBytes, as: UTF8.self) }
  var message: String { String(decoding: bytes.withLock { $0.message }, as: UTF8.self) }
}
