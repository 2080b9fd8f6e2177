import TensorIOJSON

/// Writes errors for the clients of MLflow, SageMaker, Vertex AI and Azure ML, which read different
/// keys.
enum PlatformErrors {
  /// Returns the response to a request.
  static func response(_ error: ClientError) -> HTTPResponse {
    var response = error.response
    response.body =
      HTTPResponse.jsonObject { writer in
        writer.member("error_code", errorCode(error.status))
        writer.member("message", error.message)
        writer.member("error", error.message)
        writer.member("code", error.code)
      }.body
    return response
  }

  /// Returns the name of a status in MLflow's responses.
  private static func errorCode(_ status: HTTPStatus) -> String {
    switch status.code {
    case 404: "RESOURCE_DOES_NOT_EXIST"
    case 429: "RESOURCE_EXHAUSTED"
    case 501: "NOT_IMPLEMENTED"
    case 503: "TEMPORARILY_UNAVAILABLE"
    case 504: "DEADLINE_EXCEEDED"
    case 500...: "INTERNAL_ERROR"
    default: "BAD_REQUEST"
    }
  }
}
