import TensorIOBundle
import TensorIOJSON

/// Writes errors for the clients of OpenAI's interface, which read the message from an object.
enum OpenAIErrors {
  /// Returns the response to a request.
  static func response(_ error: ClientError) -> HTTPResponse {
    response(error, from: error.response)
  }

  /// Returns a response of the server in the form of these routes.
  static func response(_ response: HTTPResponse) -> HTTPResponse {
    guard let error = response.error else { return response }
    return Self.response(ClientError(response.status, error.code, error.message), from: response)
  }

  private static func response(_ error: ClientError, from other: HTTPResponse) -> HTTPResponse {
    var response = other
    response.status = status(of: error)
    var writer = JSONWriter(.compact)
    writer.object { write(error, to: &$0) }
    response.body = writer.bytes + [UInt8(ascii: "\n")]
    if isFailure(error),
      response.status != .serviceUnavailable || lastingCodes.contains(error.code)
    {
      // The same request would fail again, possibly after minutes.
      response.headers["x-should-retry"] = "false"
    }
    return response
  }

  /// Writes an error as a member.
  static func write(_ error: ClientError, to writer: inout JSONWriter) {
    writer.key("error")
    writer.object { writer in
      writer.member("message", error.message)
      writer.member("type", type(of: error))
      writer.key("param")
      if let member = error.member { writer.value(member) } else { writer.null() }
      writer.member("code", codes[error.code] ?? error.code)
    }
  }

  /// The codes that clients know, by those of the server.
  private static let codes = [
    "unauthorized": "invalid_api_key", "unknown-model": "model_not_found",
    ModelError.contextExceeded.rawValue: "context_length_exceeded",
  ]

  /// The codes of failures that repeating a request at once does not change, although the server may recover.
  private static let lastingCodes = Set(
    [
      ModelError.timedOut, ModelError.runTimedOut, ModelError.workerCrashed,
      ModelError.runtimeMissing, ModelError.workerMissing, ModelError.sandboxUnavailable,
    ].map(\.rawValue))

  /// Clients repeat requests with a status of 500 and more.
  private static func status(of error: ClientError) -> HTTPStatus {
    [.unprocessableContent, .notImplemented].contains(error.status) ? .badRequest : error.status
  }

  private static func isFailure(_ error: ClientError) -> Bool {
    status(of: error).code >= HTTPStatus.internalServerError.code
  }

  private static func type(of error: ClientError) -> String {
    if error.status == .unauthorized { return "authentication_error" }
    return isFailure(error) ? "server_error" : "invalid_request_error"
  }
}

extension ClientError {
  /// Creates the error of a member of the request with a wrong value.
  init(invalid member: String, _ message: String) {
    self.init(.badRequest, "invalid-value", message)
    self.member = member
  }

  /// Creates the error of a member of the request that is not supported.
  init(unsupported member: String, _ message: String) {
    self.init(.badRequest, "unsupported", message)
    self.member = member
  }

  /// Returns the error of a member of the request.
  func of(_ member: String) -> ClientError {
    var error = self
    error.member = member
    return error
  }
}
