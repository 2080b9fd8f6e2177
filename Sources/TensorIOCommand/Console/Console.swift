package import TensorIOCore

/// Where a command reads and writes: data to one side, everything else to the other.
///
/// Tests run commands with a console of their own.
package struct Console: Sendable {
  /// Opens a stream that ends when nobody wants more of it.
  typealias StreamOpening =
    @Sendable (@escaping @Sendable () -> Bool) throws(CommandFailure) -> any ByteStream

  /// Writes data.
  let output: @Sendable ([UInt8]) -> Void
  /// Writes everything else.
  let message: @Sendable ([UInt8]) -> Void
  /// Reads all of the standard input, up to a limit.
  let input: @Sendable (_ limit: Int) throws(CommandFailure) -> [UInt8]
  /// What stands on the standard input, as it comes, as long as nobody wants to end.
  let inputStream: StreamOpening
  /// Whether a person reads the data on a terminal.
  let isTerminal: Bool
  /// Whether a person reads the messages on a terminal.
  let messagesGoToTerminal: Bool
  /// A variable of the environment.
  let environment: @Sendable (String) -> String?
  /// Ends the process at once with an exit code; a console that is no process's own returns it.
  ///
  /// The end of a process gives everything back faster than a model that is closed piece by piece.
  let finish: @Sendable (ExitCode) -> ExitCode
  /// The word by which the user started the program.
  let program: ProgramName
  /// Takes interrupts as wishes from now on, and tells whether there was one.
  let noteInterrupts: @Sendable () -> @Sendable () -> Bool
  /// Whether to say nothing but data and errors.
  var isQuiet = false
  /// Whether what the runtimes print is shown, too.
  var showsRuntimes = false
  /// Whose bundles are opened.
  var trust = TrustFlags()

  /// A console of the given streams.
  package init(
    output: @escaping @Sendable ([UInt8]) -> Void,
    message: @escaping @Sendable ([UInt8]) -> Void,
    input: @escaping @Sendable (_ limit: Int) throws(CommandFailure) -> [UInt8],
    isTerminal: Bool, messagesGoToTerminal: Bool,
    environment: @escaping @Sendable (String) -> String?, program: ProgramName = .usual,
    noteInterrupts: @escaping @Sendable () -> @Sendable () -> Bool = { { false } },
    finish: @escaping @Sendable (ExitCode) -> ExitCode = { $0 }
  ) {
    self.init(
      output: output, message: message, input: input,
      inputStream: { (_) throws(CommandFailure) in WholeBytes(try input(ValueReader.dataLimit)) },
      isTerminal: isTerminal, messagesGoToTerminal: messagesGoToTerminal,
      environment: environment, program: program, noteInterrupts: noteInterrupts, finish: finish)
  }

  init(
    output: @escaping @Sendable ([UInt8]) -> Void,
    message: @escaping @Sendable ([UInt8]) -> Void,
    input: @escaping @Sendable (_ limit: Int) throws(CommandFailure) -> [UInt8],
    inputStream: @escaping StreamOpening,
    isTerminal: Bool, messagesGoToTerminal: Bool,
    environment: @escaping @Sendable (String) -> String?, program: ProgramName,
    noteInterrupts: @escaping @Sendable () -> @Sendable () -> Bool,
    finish: @escaping @Sendable (ExitCode) -> ExitCode
  ) {
    self.output = output
    self.message = message
    self.input = input
    self.inputStream = inputStream
    self.isTerminal = isTerminal
    self.messagesGoToTerminal = messagesGoToTerminal
    self.environment = environment
    self.program = program
    self.noteInterrupts = noteInterrupts
    self.finish = finish
  }

  /// Writes a line of data.
  func print(_ line: String) {
    output(Array((line + "\n").utf8))
  }

  /// Says something that is no data, unless the user wants quiet.
  func note(_ line: String) {
    if !isQuiet { message(Array((program.spoken(line).printable + "\n").utf8)) }
  }

  /// Says what went wrong.
  func fail(_ failure: CommandFailure) {
    message(Array("tensorio: \(program.spoken(failure.message).printable)\n".utf8))
  }

  /// Runs a body in which a runtime may print what nobody asked for.
  func quietingRuntimes<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    showsRuntimes ? try body() : try DivertedErrors.during(body)
  }

  /// Whether data may be coloured.
  var isColored: Bool { isTerminal && environment("NO_COLOR") == nil }
}
