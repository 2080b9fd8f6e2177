package import TensorIOImage

/// Why a command stops: a short name for scripts, a line for people, and the exit code.
package struct CommandFailure: Error, Sendable, Equatable {
  package let code: String
  package let message: String
  package let exit: ExitCode
  /// All that was found wrong, where that is more than the line tells.
  package var problems: [Problem] = []

  package init(_ code: String, _ message: String, exit: ExitCode) {
    self.code = code
    self.message = message
    self.exit = exit
  }

  /// An error of the pipeline.
  package init(_ error: ModelError) {
    self.init(error.code, error.description, exit: ExitCode(error.stage))
  }

  /// What a part of the pipeline gives; its error becomes the command's.
  package static func wrapping<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(CommandFailure) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      throw CommandFailure(error)
    }
  }

  /// A picture that could not be read.
  package init(input error: ImageError) {
    self.init(error.code, error.description, exit: .input)
  }

  /// A command line that makes no sense.
  package static func usage(_ message: String) -> CommandFailure {
    CommandFailure("usage", message, exit: .usage)
  }

  /// An argument that cannot be an input.
  package static func input(_ code: String, _ message: String) -> CommandFailure {
    CommandFailure(code, message, exit: .input)
  }
}
