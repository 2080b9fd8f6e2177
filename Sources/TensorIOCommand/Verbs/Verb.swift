import TensorIOCore

/// One thing that `tensorio` can do.
protocol Verb: Sendable {
  /// What it is called, what it does and how it is asked to.
  static var page: HelpPage { get }

  /// Reads the command line.
  init(_ arguments: ParsedArguments) throws(CommandFailure)

  /// Does it.
  func run(_ console: Console) throws(CommandFailure) -> ExitCode
}
