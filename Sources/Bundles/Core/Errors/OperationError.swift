package import TensorIOBundle
package import TensorIOImage

/// An error that ends a command: a stable code, a message and the exit code.
package struct OperationError: Error, Sendable, Equatable {
  package let code: String
  package let message: String
  package let exitCode: ExitCode
  /// All diagnostics, if there are more than the message mentions.
  package var diagnostics: [Diagnostic] = []
  /// The error of the library that this error wraps; `nil` if there is none.
  package private(set) var modelError: ModelError?

  package init(_ code: String, _ message: String, exitCode: ExitCode) {
    self.code = code
    self.message = message
    self.exitCode = exitCode
  }

  /// Wraps an error of the library.
  package init(_ error: ModelError) {
    self.init(error.code, error.description, exitCode: ExitCode(error.stage))
    modelError = error
  }

  /// The runtime that is not installed, if that is the error.
  package var missingRuntime: BackendIdentifier? { modelError?.missingRuntime?.backend }

  /// Wraps an error of reading an image.
  package init(imageError error: ImageError) {
    self.init(error.code, error.description, exitCode: .invalidInput)
  }

  /// Wraps the error of a block that throws several types.
  package init(_ error: any Error) {
    switch error {
    case let error as OperationError: self = error
    case let error as ModelError: self.init(error)
    case let error as ImageError: self.init(imageError: error)
    default: self.init("failed", "\(error)", exitCode: .operationFailed)
    }
  }

  /// Runs `body` and rethrows its error as an `OperationError` about `file`, unless it names a file.
  package static func rethrowing<Value>(
    file: String? = nil, _ body: () throws(ModelError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      throw OperationError(file.map(error.in(file:)) ?? error)
    }
  }

  /// Returns an error for an invalid command line.
  package static func usage(_ message: String) -> OperationError {
    OperationError("usage", message, exitCode: .usage)
  }

  /// Returns an error for an argument that is not a valid input.
  package static func input(_ code: String, _ message: String) -> OperationError {
    OperationError(code, message, exitCode: .invalidInput)
  }
}

/// The exit code of a command.
///
/// Scripts depend on these numbers; they never change.
package enum ExitCode: Int32, Sendable, CaseIterable {
  /// The command succeeded.
  case success = 0
  /// Some of several items failed, or a check did not pass.
  case partialFailure = 1
  /// The command line is invalid.
  case usage = 2
  /// The bundle or its description is invalid, or its model file is missing.
  case invalidBundle = 3
  /// An input cannot be read or does not fit the model.
  case invalidInput = 4
  /// The runtime is missing or rejects the model, or the bundle is not trusted.
  case runtimeUnavailable = 5
  /// A run, training, a download or writing a file failed.
  case operationFailed = 6
  /// The user interrupted the command.
  case interrupted = 130
}

extension ExitCode {
  /// Returns the exit code for the stage of a library error.
  package init(_ stage: ModelError.Stage) {
    self =
      switch stage {
      case .bundle: .invalidBundle
      case .runtime: .runtimeUnavailable
      case .input: .invalidInput
      case .run, .output: .operationFailed
      }
  }
}

extension ModelError {
  /// Runs `body` and rethrows its error as a `ModelError` of a stage, unless it wraps one.
  package static func rethrowing<Value>(
    _ stage: Stage, _ body: () throws(OperationError) -> Value
  ) throws(ModelError) -> Value {
    do throws(OperationError) {
      return try body()
    } catch {
      throw error.modelError ?? ModelError(stage, .failed(.init(error.message)))
    }
  }
}
