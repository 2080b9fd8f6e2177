import TensorIOBundle
import TensorIOJSON

/// An error in the form of OpenAI's routes, whose clients read the message from an object.
struct OpenAIError: Error {
  /// The error in the server's own form.
  let clientError: ClientError
  /// The member of the request that is wrong; `nil` if it is none of them.
  private let parameter: String?
  private let code: String
  private let status: HTTPStatus

  /// Creates the error of a member of the request with a wrong value.
  init(_ parameter: String, _ message: String) {
    self.init(ClientError(.badRequest, "invalid-value", message), parameter)
  }

  /// Creates the error of a member of the request that is not supported.
  init(unsupported parameter: String, _ message: String) {
    self.init(ClientError(.badRequest, "unsupported", message), parameter)
  }

  /// Creates the form of an error.
  init(_ error: ClientError, _ parameter: String? = nil) {
    clientError = error
    switch error.code {
    case "unauthorized": (code, self.parameter, status) = ("invalid_api_key", nil, .unauthorized)
    case "unknown-model":
      (code, self.parameter, status) = ("model_not_found", "model", .notFound)
    case ModelError.contextExceeded.rawValue:
      (code, self.parameter, status) = ("context_length_exceeded", parameter, .badRequest)
    default:
      (code, self.parameter) = (error.code, parameter)
      // Clients repeat requests with a status of 500 and more.
      status =
        [.unprocessableContent, .notImplemented].contains(error.status) ? .badRequest : error.status
    }
  }

  /// Returns a response of the server in the form of these routes.
  static func response(_ response: HTTPResponse) -> HTTPResponse {
    guard let error = response.error else { return response }
    return OpenAIError(ClientError(response.status, error.code, error.message))
      .response(from: response)
  }

  /// The response.
  var response: HTTPResponse { response(from: clientError.response) }

  private func response(from other: HTTPResponse) -> HTTPResponse {
    var response = other
    response.status = status
    var writer = JSONWriter(.compact)
    writer.object { $0.member("error", object: write) }
    response.body = writer.bytes + [UInt8(ascii: "\n")]
    if status.code >= HTTPStatus.internalServerError.code, status != .serviceUnavailable {
      // The same request would fail again.
      response.headers["x-should-retry"] = "false"
    }
    return response
  }

  private var type: String {
    if status == .unauthorized { return "authentication_error" }
    return status.code >= HTTPStatus.internalServerError.code
      ? "server_error" : "invalid_request_error"
  }

  /// Writes the members of the object.
  func write(to writer: inout JSONWriter) {
    writer.member("message", clientError.message)
    writer.member("type", type)
    writer.key("param")
    if let parameter { writer.value(parameter) } else { writer.null() }
    writer.member("code", code)
  }
}
