import TensorIOBundle
import TensorIOServer

extension ClientError {
  /// The resource does not exist.
  static func notFound(_ resource: String) -> ClientError {
    ClientError(.notFound, "not-found", "no such \(resource)")
  }

  /// The request is not valid.
  static func badRequest(_ message: String) -> ClientError {
    ClientError(.badRequest, "bad-request", message)
  }
}

extension ClientError {
  /// Creates the client's view of a model error, with paths redacted.
  ///
  /// The user of the studio provides the models and data, and therefore receives more details than
  /// the clients of a server.
  init(_ error: ModelError, _ redactor: PathRedactor) {
    let clientError = ClientError(error)
    let status = error.stage == .bundle ? .unprocessableContent : clientError.status
    self.init(status, clientError.code, Self.message(error, redactor) ?? clientError.message)
  }

  /// Returns the error's redacted message; `nil` if it concerns only the machine.
  private static func message(_ error: ModelError, _ redactor: PathRedactor) -> String? {
    if let missing = error.missingRuntime {
      return "the \(missing.backend) runtime is not installed"
    }
    return switch error {
    case ModelError.callFailed, ModelError.unwritable: nil
    default: redactor.redact(error.message)
    }
  }
}
