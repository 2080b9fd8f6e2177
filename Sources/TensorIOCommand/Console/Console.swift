package import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// Where a command reads and writes: data to one side, everything else to the other.
///
/// Tests run commands with a console of their own.
package struct Console: Sendable {
  /// Opens a stream that ends when nobody wants more of it.
  typealias StreamOpening =
    @Sendable (@escaping @Sendable () -> Bool) throws(OperationError) -> any ByteStream

  /// Writes data.
  let writeOutput: @Sendable ([UInt8]) -> Void
  /// Writes everything else.
  let writeMessage: @Sendable ([UInt8]) -> Void
  /// Reads all of the standard input, up to a limit.
  let readInput: @Sendable (_ limit: Int) throws(OperationError) -> [UInt8]
  /// What stands on the standard input, as it comes, as long as nobody wants to end.
  let openInputStream: StreamOpening
  /// Whether a person reads the data on a terminal.
  let isOutputTerminal: Bool
  /// Whether a person reads the messages on a terminal.
  let isMessageTerminal: Bool
  /// A variable of the environment.
  let environment: @Sendable (String) -> String?
  /// Ends the process at once with an exit code; a console that is no process's own returns it.
  ///
  /// The end of a process gives everything back faster than a model that is closed piece by piece.
  let exit: @Sendable (ExitCode) -> ExitCode
  /// The word by which the user started the program.
  let program: ProgramName
  /// Takes interrupts as wishes from now on, and tells whether there was one.
  let observeInterrupts: @Sendable () -> @Sendable () -> Bool
  /// Whether to say nothing but data and errors.
  var isQuiet = false
  /// Whether what the runtimes print is shown, too.
  var showsRuntimeMessages = false
  /// Whose bundles are opened.
  var trustFlags = TrustFlags()

  /// A console of the given streams.
  package init(
    writeOutput: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void,
    readInput: @escaping @Sendable (_ limit: Int) throws(OperationError) -> [UInt8],
    isOutputTerminal: Bool, isMessageTerminal: Bool,
    environment: @escaping @Sendable (String) -> String?, program: ProgramName = .installed,
    observeInterrupts: @escaping @Sendable () -> @Sendable () -> Bool = { { false } },
    exit: @escaping @Sendable (ExitCode) -> ExitCode = { $0 }
  ) {
    self.init(
      writeOutput: writeOutput, writeMessage: writeMessage, readInput: readInput,
      openInputStream: { (_) throws(OperationError) in InMemoryStream(try readInput(InputValueParser.maxBytes)) },
      isOutputTerminal: isOutputTerminal, isMessageTerminal: isMessageTerminal,
      environment: environment, program: program, observeInterrupts: observeInterrupts, exit: exit)
  }

  init(
    writeOutput: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void,
    readInput: @escaping @Sendable (_ limit: Int) throws(OperationError) -> [UInt8],
    openInputStream: @escaping StreamOpening,
    isOutputTerminal: Bool, isMessageTerminal: Bool,
    environment: @escaping @Sendable (String) -> String?, program: ProgramName,
    observeInterrupts: @escaping @Sendable () -> @Sendable () -> Bool,
    exit: @escaping @Sendable (ExitCode) -> ExitCode
  ) {
    self.writeOutput = writeOutput
    self.writeMessage = writeMessage
    self.readInput = readInput
    self.openInputStream = openInputStream
    self.isOutputTerminal = isOutputTerminal
    self.isMessageTerminal = isMessageTerminal
    self.environment = environment
    self.program = program
    self.observeInterrupts = observeInterrupts
    self.exit = exit
  }

  /// Writes a line of data.
  func print(_ line: String) {
    writeOutput(Array((line + "\n").utf8))
  }

  /// Says something that is no data, unless the user wants quiet.
  func info(_ line: String) {
    if !isQuiet { writeMessage(Array((program.rewritingCommands(in: line).sanitizedForTerminal + "\n").utf8)) }
  }

  /// Says what went wrong.
  func printError(_ failure: OperationError) {
    writeMessage(Array("tensorio: \(program.rewritingCommands(in: failure.message).sanitizedForTerminal)\n".utf8))
  }

  /// Runs a body in which a runtime may print what nobody asked for.
  func suppressingRuntimeMessages<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    showsRuntimeMessages ? try body() : try StderrRedirection.suppressing(body)
  }

  /// Whether data may be coloured.
  var isColored: Bool { isOutputTerminal && environment("NO_COLOR") == nil }
}

/// How much is said besides data, as `TENSORIO_LOG` asks for.
enum LogLevel: String, CaseIterable {
  /// Errors alone, as with `--quiet`.
  case error
  /// What is doubtful, and how far a long run has come.
  case info
  /// What the runtimes print, too.
  case debug

  static let variable = "TENSORIO_LOG"

  /// The level that the environment asks for.
  init(_ console: Console) throws(OperationError) {
    guard let word = console.environment(Self.variable) else {
      self = .info
      return
    }
    guard let level = LogLevel(rawValue: word) else {
      let levels = Self.allCases.map(\.rawValue)
      throw .usage(
        "\(Self.variable) is \(levels.joined(separator: ", ")), not '\(word)'"
          + spellingSuggestion(for: word, among: levels))
    }
    self = level
  }
}

/// The word that starts this program again for whoever started it: a path, or the usual name.
package struct ProgramName: Sendable {
  /// The name of an installed program, which all texts use.
  package static let installed = ProgramName(invokedAs: nil)

  private static let name = "tensorio"

  /// The word as a shell takes it.
  let command: String

  /// The program that was started by a word; one without a slash was found by its name.
  package init(invokedAs word: String?) {
    self.command = word.flatMap { $0.contains("/") ? $0.shellEscaped : nil } ?? Self.name
  }

  /// A text whose command lines begin with the word.
  func rewritingCommands(in text: String) -> String {
    guard command != Self.name else { return text }
    let parts = text.split(separator: Self.name + " ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      text + (Self.isCommand(part) ? command : Self.name) + " " + part
    }
  }

  /// Whether what follows the name makes a command line of both.
  private static func isCommand(_ rest: Substring) -> Bool {
    let verb = rest.prefix { $0.isLetter }
    return TensorIOCommand.subcommands.contains { $0.helpPage.name == verb }
  }
}
