package import TensorIOBundle
package import TensorIOImage

/// Why a command stops: a short name for scripts, a line for people, and the exit code.
package struct OperationError: Error, Sendable, Equatable {
  package let code: String
  package let message: String
  package let exitCode: ExitCode
  /// All that was found wrong, where that is more than the line tells.
  package var diagnostics: [Diagnostic] = []

  package init(_ code: String, _ message: String, exitCode: ExitCode) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
  }

  /// An error of the pipeline.
  package init(_ error: ModelError) {
    self.init(error.code, error.description, exitCode: ExitCode(error.stage))
  }

  /// What a part of the pipeline gives; its error becomes the command's.
  package static func rethrowing<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      throw OperationError(error)
    }
  }

  /// A picture that could not be read.
  package init(imageError error: ImageError) {
    self.init(error.code, error.description, exitCode: .invalidInput)
  }

  /// A command line that makes no sense.
  package static func usage(_ message: String) -> OperationError {
    OperationError("usage", message, exitCode: .usage)
  }

  /// An argument that cannot be an input.
  package static func input(_ code: String, _ message: String) -> OperationError {
    OperationError(code, message, exitCode: .invalidInput)
  }
}

/// What a command's exit says.
///
/// Scripts depend on these numbers.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// All is well.
  case success = 0
  /// Some of several items failed, or a check fell short.
  case partialFailure = 1
  /// The command line makes no sense.
  case usage = 2
  /// The bundle or its description is invalid, or its model file is missing.
  case invalidBundle = 3
  /// An input cannot be read or does not fit the model.
  case invalidInput = 4
  /// The runtime is missing, or it refuses the model, or the bundle is not to be trusted.
  case runtimeUnavailable = 5
  /// Computing failed.
  case inferenceFailed = 6
  /// The user interrupted the command.
  case interrupted = 130
}

extension ExitCode {
  /// The exit for an error of the pipeline: its stage decides.
  package init(_ stage: ModelError.Stage) {
    self =
      switch stage {
      case .bundle: .invalidBundle
      case .runtime: .runtimeUnavailable
      case .input: .invalidInput
      case .run, .output: .inferenceFailed
      }
  }
}
