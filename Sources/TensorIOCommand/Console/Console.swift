internal import TensorIOCore

/// Where a command reads and writes: data to one side, everything else to the other.
///
/// Tests run commands with a console of their own.
struct Console: Sendable {
  /// Writes data.
  let output: @Sendable ([UInt8]) -> Void
  /// Writes everything else.
  let message: @Sendable ([UInt8]) -> Void
  /// Reads all of the standard input, up to a limit.
  let input: @Sendable (_ limit: Int) throws(CommandFailure) -> [UInt8]
  /// Whether a person reads the data on a terminal.
  let isTerminal: Bool
  /// Whether a person reads the messages on a terminal.
  let messagesGoToTerminal: Bool
  /// A variable of the environment.
  let environment: @Sendable (String) -> String?
  /// Whether to say nothing but data and errors.
  var isQuiet = false

  /// Writes a line of data.
  func print(_ line: String) {
    output(Array((line + "\n").utf8))
  }

  /// Says something that is no data, unless the user wants quiet.
  func note(_ line: String) {
    if !isQuiet { message(Array((line + "\n").utf8)) }
  }

  /// Says what went wrong.
  func fail(_ failure: CommandFailure) {
    message(Array("tensorio: \(failure.message)\n".utf8))
  }

  /// Whether data may be coloured.
  var isColored: Bool { isTerminal && environment("NO_COLOR") == nil }
}
