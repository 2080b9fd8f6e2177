package import TensorIOBundle

/// An error as a client receives it, without paths or other details of the server.
///
/// Only messages about the client's own values are passed on. Everything else, which may name
/// files, libraries or functions, is replaced by a summary; the code identifies the error.
package struct ClientError: Error, Equatable {
  package let status: HTTPStatus
  package let code: String
  package let message: String
  /// The member of the request that is wrong, in protocols that name it; `nil` if it is none of them.
  var member: String?
  /// All diagnostics, for a rejected bundle.
  package var diagnostics: [Diagnostic]?
  /// The number of seconds after which a retry makes sense, for a status of 429 or 503.
  private var retryAfterSeconds = HTTPResponse.defaultRetryAfter
  /// The reason of a failure of the server, for the log.
  private var reason: String?

  /// Creates an error.
  package init(
    _ status: HTTPStatus, _ code: String, _ message: String, reason: String? = nil,
    diagnostics: [Diagnostic]? = nil
  ) {
    (self.status, self.code, self.message) = (status, code, message)
    (self.reason, self.diagnostics) = (reason, diagnostics)
  }

  /// Creates the client's view of a model error.
  package init(_ error: ModelError) {
    self.init(Self.status(of: error), Self.code(of: error), Self.message(of: error))
    if ModelError.suspended ~= error, let seconds = error.number("seconds") {
      retryAfterSeconds = seconds
    }
    if status.code >= HTTPStatus.internalServerError.code { reason = "\(error)" }
  }

  /// The result could not be drawn or encoded as an image.
  static let renderingFailed = ClientError(
    .internalServerError, "rendering-failed", "the result could not be drawn")

  /// The response to the request.
  package var response: HTTPResponse {
    var response = HTTPResponse.error(status, code, message, diagnostics: diagnostics)
    if status == .serviceUnavailable || status == .tooManyRequests {
      response.headers["Retry-After"] = "\(retryAfterSeconds)"
    }
    response.setReason(reason)
    return response
  }
}

// MARK: Statuses

extension ClientError {
  private static func status(of error: ModelError) -> HTTPStatus {
    switch error.reason.code.response {
    case .notFound: .notFound
    case .unavailable: .serviceUnavailable
    case .serverError: .internalServerError
    case .tooLarge: .contentTooLarge
    case .message, .summary:
      error.stage == .input ? .unprocessableContent : .internalServerError
    }
  }

  private static func code(of error: ModelError) -> String {
    ModelError.unknownBundle ~= error ? "unknown-model" : error.code
  }
}

// MARK: Messages

extension ClientError {
  private static func message(of error: ModelError) -> String {
    let summary = summary(for: error.stage)
    switch error.reason.code.response {
    case .notFound, .unavailable: return error.reason.clientMessage ?? summary
    case .message, .tooLarge:
      guard error.stage == .input else { return summary }
      let message = error.reason.clientMessage ?? error.reason.message
      return error.layer.map { "input '\($0)': \(message)" } ?? message
    case .summary, .serverError: return summary
    }
  }

  private static func summary(for stage: ModelError.Stage) -> String {
    switch stage {
    case .bundle: "the model's bundle is invalid; see the server log"
    case .runtime: "the model could not be loaded; see the server log"
    case .input: "an input could not be read"
    case .run, .output: "the model failed"
    }
  }
}
