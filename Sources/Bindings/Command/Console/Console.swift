package import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOStreaming
import TensorIOSystem

/// The streams and environment of a command.
///
/// Results are written to one stream, and messages and errors to the other. Tests pass their own
/// console.
package struct Console: OperationContext {
  /// Opens a stream of standard input that ends when the closure returns `true`.
  typealias StreamOpening =
    @Sendable (@escaping @Sendable () -> Bool) throws(OperationError) -> any ByteStream

  /// Writes results.
  var writeOutput: @Sendable ([UInt8]) -> Void
  /// Writes messages and errors.
  package internal(set) var writeMessage: @Sendable ([UInt8]) -> Void
  /// Writes results, and returns the number of bytes: fewer than all if the stream has failed.
  let tryWritingOutput: @Sendable ([UInt8]) -> Int
  /// Writes messages, and returns the number of bytes: fewer than all if the stream has failed.
  let tryWritingMessage: @Sendable ([UInt8]) -> Int
  /// Makes writes to a stream without a reader fail instead of ending the process; does nothing for streams that are not
  /// those of the process.
  let ignoreBrokenPipes: @Sendable () -> Void
  /// Reads all of standard input, up to a limit.
  let readInput: @Sendable (_ limit: Int) throws(OperationError) -> [UInt8]
  /// Opens standard input as a stream that can be canceled.
  let openInputStream: StreamOpening
  /// Whether standard input is a terminal.
  let isInputTerminal: Bool
  /// Whether results are written to a terminal.
  let isOutputTerminal: Bool
  /// Whether messages are written to a terminal.
  package let isMessageTerminal: Bool
  /// Returns the number of columns of the terminal; `nil` if it is unknown.
  let terminalColumns: @Sendable () -> Int?
  /// Returns the value of an environment variable.
  package let environment: @Sendable (String) -> String?
  /// Exits the process with a code without closing models, which is faster; returns the code on
  /// consoles other than the process's own.
  let exit: @Sendable (ExitCode) -> ExitCode
  /// The name by which the user started the program.
  let program: ProgramName
  /// Stops SIGINT from ending the process, and returns a closure that tests for its arrival.
  let observeInterrupts: @Sendable () -> @Sendable () -> Bool
  /// Whether informational messages are suppressed.
  package var isQuiet = false
  /// Whether messages of the runtimes are shown.
  var showsRuntimeMessages = false
  /// Whether text is colored.
  var colorChoice = ColorChoice.auto
  /// The signature requirements for opening bundles.
  var trustFlags = TrustFlags()

  /// Creates a console with the given streams.
  package init(
    writeOutput: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void,
    readInput: @escaping @Sendable (_ limit: Int) throws(OperationError) -> [UInt8],
    isInputTerminal: Bool = false, isOutputTerminal: Bool, isMessageTerminal: Bool,
    terminalColumns: @escaping @Sendable () -> Int? = { nil },
    environment: @escaping @Sendable (String) -> String?, program: ProgramName = .installed,
    observeInterrupts: @escaping @Sendable () -> @Sendable () -> Bool = { { false } },
    exit: @escaping @Sendable (ExitCode) -> ExitCode = { $0 }
  ) {
    self.init(
      writeOutput: writeOutput, writeMessage: writeMessage, readInput: readInput,
      openInputStream: { (_) throws(OperationError) in
        InMemoryStream(try readInput(InputValueParser.maxBytes))
      },
      isInputTerminal: isInputTerminal, isOutputTerminal: isOutputTerminal,
      isMessageTerminal: isMessageTerminal, terminalColumns: terminalColumns,
      environment: environment, program: program, observeInterrupts: observeInterrupts, exit: exit)
  }

  init(
    writeOutput: @escaping @Sendable ([UInt8]) -> Void,
    writeMessage: @escaping @Sendable ([UInt8]) -> Void,
    tryWritingOutput: (@Sendable ([UInt8]) -> Int)? = nil,
    tryWritingMessage: (@Sendable ([UInt8]) -> Int)? = nil,
    ignoreBrokenPipes: @escaping @Sendable () -> Void = {},
    readInput: @escaping @Sendable (_ limit: Int) throws(OperationError) -> [UInt8],
    openInputStream: @escaping StreamOpening,
    isInputTerminal: Bool, isOutputTerminal: Bool, isMessageTerminal: Bool,
    terminalColumns: @escaping @Sendable () -> Int?,
    environment: @escaping @Sendable (String) -> String?, program: ProgramName,
    observeInterrupts: @escaping @Sendable () -> @Sendable () -> Bool,
    exit: @escaping @Sendable (ExitCode) -> ExitCode
  ) {
    self.writeOutput = writeOutput
    self.writeMessage = writeMessage
    self.ignoreBrokenPipes = ignoreBrokenPipes
    self.tryWritingOutput =
      tryWritingOutput ?? {
        writeOutput($0); return $0.count
      }
    self.tryWritingMessage =
      tryWritingMessage ?? {
        writeMessage($0); return $0.count
      }
    self.readInput = readInput
    self.openInputStream = openInputStream
    self.isInputTerminal = isInputTerminal
    self.isOutputTerminal = isOutputTerminal
    self.isMessageTerminal = isMessageTerminal
    self.terminalColumns = terminalColumns
    self.environment = environment
    self.program = program
    self.observeInterrupts = observeInterrupts
    self.exit = exit
  }

  /// Reads a text from standard input, without the line break at its end.
  ///
  /// - Parameters:
  ///   - name: What the text is, for messages.
  ///   - limit: The maximum size in bytes.
  /// - Returns: The text.
  /// - Throws: An ``OperationError`` if it is too long, or not UTF-8.
  func readText(_ name: String, limit: Int) throws(OperationError) -> String {
    let bytes = try readInput(limit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .usage("the \(name) on standard input is not text in UTF-8")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// Writes a line of results.
  func print(_ line: String) {
    writeOutput(Array((line + "\n").utf8))
  }

  /// Writes a part of a text as results; a terminal does not get control characters, which a model could write.
  func writeText(_ text: String) {
    writeOutput(Array((isOutputTerminal ? text.sanitizedForTerminal : text).utf8))
  }

  /// Writes a JSON document as results.
  func writeJSON(_ style: JSONWriter.Style = .indented, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(style)
    write(&writer)
    writeOutput(writer.bytes + Array("\n".utf8))
  }

  /// Writes a JSON object as results.
  func writeJSONObject(
    _ style: JSONWriter.Style = .indented, _ members: (inout JSONWriter) -> Void
  ) {
    writeJSON(style) { $0.object(members) }
  }

  /// Writes an informational message, unless the console is quiet.
  package func info(_ line: String) {
    guard !isQuiet else { return }
    writeMessageLine(line)
  }

  /// Writes an error message, with the hint that resolves the error on a line of its own.
  package func printError(_ error: OperationError) {
    writeMessageLine("tensorio: \(error.messageWithHint)", prefix: .error)
    if let hint = error.hint { writeMessageLine("hint: \(hint)", prefix: .hint) }
  }

  /// Runs a closure, and discards what runtimes print to standard error unless it is requested.
  ///
  /// What the runtime of a GPU prints to standard output is always discarded, because it would be
  /// part of the results.
  func suppressingRuntimeMessages<Result, Failure: Error>(
    on accelerator: Accelerator = .cpu, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try StderrRedirection.suppressing(
      errors: !showsRuntimeMessages, output: accelerator != .cpu, body)
  }
}

/// The verbosity of messages, set by `TENSORIO_LOG`.
enum LogLevel: String, CaseIterable {
  /// Errors only, as with `--quiet`.
  case error
  /// Also warnings and progress.
  case info
  /// Also messages of the runtimes.
  case debug

  static let variable = "TENSORIO_LOG"

  /// Creates the level from the environment.
  ///
  /// - Throws: A usage error for an unknown level.
  init(_ console: Console) throws(OperationError) {
    guard let word = console.environment(Self.variable) else {
      self = .info
      return
    }
    guard let level = LogLevel(rawValue: word) else {
      let levels = Self.allCases.map(\.rawValue)
      throw .usage(
        "invalid \(Self.variable) '\(word)': expected \(levels.joined(separator: ", "))"
          + spellingSuggestion(for: word, among: levels))
    }
    self = level
  }
}

/// The command that starts this program for its user: a path, or the installed name.
package struct ProgramName: Sendable {
  /// The name of the installed program, as it is written in help pages and messages.
  package static let installed = ProgramName(invokedAs: nil)

  private static let name = "tensorio"

  /// The command, quoted for a shell.
  let command: String

  /// Creates the name from the first argument of the process.
  ///
  /// An argument without a slash was found on the search path; the installed name replaces it.
  package init(invokedAs argument: String?) {
    self.command = argument.flatMap { $0.contains("/") ? $0.shellEscaped : nil } ?? Self.name
  }

  /// Returns a text in which command lines begin with this command.
  func rewritingCommands(in text: String) -> String {
    guard command != Self.name else { return text }
    let parts = text.split(separator: Self.name + " ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      text + (Self.isCommand(part) ? command : Self.name) + " " + part
    }
  }

  /// Returns whether the text after the program name begins with a command.
  private static func isCommand(_ rest: Substring) -> Bool {
    let name = rest.prefix { $0.isLetter }
    return TensorIOCommand.subcommands.contains { $0.helpPage.name == name }
  }
}
