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
  public var interruptedAfter: Int?

  public init() {}

  /// Runs a command line.
  @discardableResult
  public func run(_ words: [String]) -> CommandOutcome {
    let streams = Streams()
    let (input, environment, program) = (input, environment, ProgramName(startedAs: program))
    let (looks, limit) = (Streams(), interruptedAfter ?? .max)
    let keyboard: @Sendable () -> Bool = {
      looks.append(output: [0])
      return looks.output.utf8.count > limit
    }
    let console = Console(
      output: { streams.append(output: $0) }, message: { streams.append(message: $0) },
      input: { _ in input }, isTerminal: isTerminal, messagesGoToTerminal: false,
      environment: { environment[$0] }, program: program, noteInterrupts: { keyboard })
    let exit = TensorIOCommand.run(words, on: console)
    return CommandOutcome(exit: exit.rawValue, output: streams.output, messages: streams.message)
  }

  /// Runs a command line on a console where nothing stands on the standard input.
  @discardableResult
  public static func run(_ words: [String]) -> CommandOutcome { TestConsole().run(words) }
}

/// What came of a command.
public struct CommandOutcome: Sendable {
  public let exit: Int32
  /// The data.
  public let output: String
  /// Everything else.
  public let messages: String

  public init(exit: Int32, output: String, messages: String) {
    self.exit = exit
    self.output = output
    self.messages = messages
  }

  /// The lines of the data.
  public var lines: [String] { output.split(separator: "\n").map(String.init) }
  /// The first line of everything else.
  public var firstMessage: String {
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
