/// What a command's exit says.
///
/// Scripts depend on these numbers.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// All is well.
  case ok = 0
  /// Some of several items failed, or a check fell short.
  case fellShort = 1
  /// The command line makes no sense.
  case usage = 2
  /// The bundle or its description is invalid, or its model file is missing.
  case bundle = 3
  /// An input cannot be read or does not fit the model.
  case input = 4
  /// The runtime is missing, or it refuses the model, or the bundle is not to be trusted.
  case runtime = 5
  /// Computing failed.
  case run = 6
  /// The user interrupted the command.
  case interrupted = 130
}

extension ExitCode {
  /// The exit for an error of the pipeline: its stage decides.
  package init(_ stage: ModelError.Stage) {
    self =
      switch stage {
      case .bundle: .bundle
      case .runtime: .runtime
      case .input: .input
      case .run, .output: .run
      }
  }
}
