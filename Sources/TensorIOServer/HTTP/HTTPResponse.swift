package import TensorIOCore

/// What a request is answered with.
package struct HTTPResponse: Sendable {
  package var status: HTTPStatus
  package var headers: HTTPHeaders
  package var body: [UInt8]

  /// An answer with a body of some type.
  package init(_ status: HTTPStatus = .ok, type: String, body: [UInt8]) {
    self.status = status
    headers = ["Content-Type": type]
    self.body = body
  }

  /// An answer as one line of JSON.
  package static func json(
    _ status: HTTPStatus = .ok, _ write: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    var writer = JSONWriter(.compact)
    write(&writer)
    return HTTPResponse(
      status, type: "application/json", body: writer.bytes + [UInt8(ascii: "\n")])
  }

  /// A refusal of what can be asked for again in a moment.
  package static func unavailable(
    _ code: String, _ message: String, seconds: Int = retrySeconds
  ) -> HTTPResponse {
    var response = failure(.unavailable, code, message)
    response.headers["Retry-After"] = "\(seconds)"
    return response
  }

  /// After how many seconds it is usually worth asking again.
  static let retrySeconds = 1

  /// A refusal: a short name for scripts and a sentence for people, which tell nothing of the server.
  package static func failure(
    _ status: HTTPStatus, _ code: String, _ message: String
  ) -> HTTPResponse {
    json(status) { writer in
      writer.object { writer in
        writer.member(
          "error",
          object: { writer in
            writer.member("code", code)
            writer.member("message", message)
          })
      }
    }
  }
}
