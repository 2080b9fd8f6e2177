import TensorIOCore
import Foundation
import Synchronization
import TensorIOCommand

/// Runs commands in the test's own process, on streams of the test's own.
public struct TestConsole: Sendable {
  /// What stands on the standard input.
  public var input: [UInt8] = []
  /// The variables that are set.
  public var environment: [String: String] = [:]
  /// Whether a person reads the data on a terminal.
  public var isTerminal = false
  /// The word by which the program was started.
  public var program: String?

  /// After how many looks at the keyboard there is a wish to end; `nil` for never.
  public var interruptAfterPolls: Int?

  public init() {}

  /// Runs a command line.
  @discardableResult
  public func run(_ words: [String]) -> CommandResult {
    let streams = Streams()
    let (input, environment, program) = (input, environment, ProgramName(invokedAs: program))
    let (looks, limit) = (Streams(), interruptAfterPolls ?? .max)
    let keyboard: @Sendable () -> Bool = {
      looks.append(output: [0])
      return looks.output.utf8.count > limit
    }
    let console = Console(
      writeOutput: { streams.append(output: $0) }, writeMessage: { streams.append(message: $0) },
      readInput: { _ in input }, isOutputTerminal: isTerminal, isMessageTerminal: false,
      environment: { environment[$0] }, program: program, observeInterrupts: { keyboard })
    let exit = TensorIOCommand.run(words, on: console)
    return CommandResult(exitCode: exit.rawValue, output: streams.output, messages: streams.message)
  }

  /// Runs a command line on a console where nothing stands on the standard input.
  @discardableResult
  public static func run(_ words: [String]) -> CommandResult { TestConsole().run(words) }
}

/// What came of a command.
public struct CommandResult: Sendable {
  public let exitCode: Int32
  /// The data.
  public let output: String
  /// Everything else.
  public let messages: String

  public init(exitCode: Int32, output: String, messages: String) {
    self.exitCode = exitCode
    self.output = output
    self.messages = messages
  }

  /// The lines of the data.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }
  /// The first line of everything else.
  public var firstMessageLine: String {
    messages.split(separator: "\n").first.map(String.init) ?? ""
  }

  /// The data as one JSON document.
  public func json() throws -> JSONTree { try JSONTree(output) }
  /// The data as one JSON document a line.
  public func jsonLines() throws -> [JSONTree] { try lines.map { try JSONTree($0) } }
}

private final class Streams: Sendable {
  private let bytes = Mutex<(output: [UInt8], message: [UInt8])>(([], []))

  func append(output: [UInt8]) { bytes.withLock { $0.output += output } }
  func append(message: [UInt8]) { bytes.withLock { $0.message += message } }

  var output: String { String(decoding: bytes.withLock { $0.output }, as: UTF8.self) }
  var message: String { String(decoding: bytes.withLock { $0.message }, as: UTF8.self) }
}
