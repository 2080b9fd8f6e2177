package import TensorIOCore

/// The environment of operations on the user's data, and where they report their progress.
///
/// The command line implements it with its console.
package protocol OperationContext: Sendable {
  /// Returns the value of an environment variable.
  var environment: @Sendable (String) -> String? { get }
  /// Whether informational messages are suppressed.
  var isQuiet: Bool { get }
  /// Whether messages are written to a terminal, on which a progress line can be rewritten.
  var isMessageTerminal: Bool { get }
  /// The number of columns of the terminal that messages are written to; `nil` if they are not.
  var messageColumns: Int? { get }
  /// Writes messages.
  var writeMessage: @Sendable ([UInt8]) -> Void { get }

  /// Prints an informational message, unless they are suppressed.
  func info(_ line: String)

  /// Prints an error.
  func printError(_ error: OperationError)
}

extension OperationError {
  /// The error of an operation that the user has interrupted.
  package static let cancelled = OperationError(
    "cancelled", "interrupted", exitCode: .interrupted)
}
