package import TensorIOJSON

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
    _ code: String, _ message: String, retryAfter: Int = defaultRetryAfter
  ) -> HTTPResponse {
    var response = error(.serviceUnavailable, code, message)
    response.headers["Retry-After"] = "\(retryAfter)"
    return response
  }

  /// After how many seconds it is usually worth asking again.
  static let defaultRetryAfter = 1

  /// A refusal: a short name for scripts and a sentence for people, which tell nothing of the server.
  package static func error(
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

/// What a connection adds to an answer.
struct ResponseFraming {
  /// By what the request is known.
  var requestID: String
  /// Whether the connection ends with this answer.
  var closesConnection = false
  /// Whether the client has to be told that the connection stays.
  var isHTTP10 = false
  /// Whether only the head was asked for.
  var omitsBody = false
}

extension HTTPResponse {
  /// The head as it is sent, without fields that would be more than one line.
  func serializedHead(_ frame: ResponseFraming) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes += "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8
    for (name, value) in headers.fields where !Self.isReservedHeader(name) && Self.isValidField(name, value) {
      bytes.addField(name, value)
    }
    if status.allowsBody { bytes.addField("Content-Length", String(body.count)) }
    bytes.addField("X-Request-Id", frame.requestID)
    if frame.closesConnection {
      bytes.addField("Connection", "close")
    } else if frame.isHTTP10 {
      bytes.addField("Connection", "keep-alive")
    }
    bytes += "\r\n".utf8
    return bytes
  }

  /// The body as it is sent.
  func serializedBody(_ frame: ResponseFraming) -> [UInt8] {
    status.allowsBody && !frame.omitsBody ? body : []
  }

  private static func isReservedHeader(_ name: String) -> Bool {
    ["Content-Length", "Connection", "X-Request-Id", "Transfer-Encoding"]
      .contains { $0.equalsIgnoringCase( name) }
  }

  private static func isValidField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isToken) && value.utf8.allSatisfy(\.isFieldText)
  }
}

extension HTTPStatus {
  fileprivate var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
}

extension [UInt8] {
  fileprivate mutating func addField(_ name: String, _ value: String) {
    self += name.utf8
    self += ": ".utf8
    self += value.utf8
    self += "\r\n".utf8
  }
}

/// How a request has ended.
package struct HTTPStatus: Sendable, Hashable {
  package let code: Int
  package let reasonPhrase: String

  package init(_ code: Int, _ reason: String) { (self.code, self.reasonPhrase) = (code, reason) }

  package static let ok = HTTPStatus(200, "OK")
  package static let created = HTTPStatus(201, "Created")
  package static let accepted = HTTPStatus(202, "Accepted")
  package static let noContent = HTTPStatus(204, "No Content")
  package static let notModified = HTTPStatus(304, "Not Modified")
  package static let badRequest = HTTPStatus(400, "Bad Request")
  package static let unauthorized = HTTPStatus(401, "Unauthorized")
  package static let forbidden = HTTPStatus(403, "Forbidden")
  package static let notFound = HTTPStatus(404, "Not Found")
  package static let methodNotAllowed = HTTPStatus(405, "Method Not Allowed")
  package static let requestTimeout = HTTPStatus(408, "Request Timeout")
  package static let conflict = HTTPStatus(409, "Conflict")
  package static let lengthRequired = HTTPStatus(411, "Length Required")
  package static let contentTooLarge = HTTPStatus(413, "Content Too Large")
  package static let uriTooLong = HTTPStatus(414, "URI Too Long")
  package static let unsupportedMediaType = HTTPStatus(415, "Unsupported Media Type")
  package static let expectationFailed = HTTPStatus(417, "Expectation Failed")
  package static let unprocessableContent = HTTPStatus(422, "Unprocessable Content")
  package static let tooManyRequests = HTTPStatus(429, "Too Many Requests")
  package static let requestHeaderFieldsTooLarge = HTTPStatus(431, "Request Header Fields Too Large")
  package static let internalServerError = HTTPStatus(500, "Internal Server Error")
  package static let notImplemented = HTTPStatus(501, "Not Implemented")
  package static let serviceUnavailable = HTTPStatus(503, "Service Unavailable")
  package static let httpVersionNotSupported = HTTPStatus(505, "HTTP Version Not Supported")
}

/// Why a request is not read on, or not answered by anyone: the answer that it gets instead.
struct HTTPRejection: Error {
  var response: HTTPResponse
  /// Whether nobody can know any more where the next request would begin.
  var closesConnection: Bool

  init(_ response: HTTPResponse, closesConnection: Bool) {
    (self.response, self.closesConnection) = (response, closesConnection)
  }

  init(_ status: HTTPStatus, _ code: String, _ message: String, closesConnection: Bool = true) {
    response = .error(status, code, message)
    self.closesConnection = closesConnection
  }

  /// What is no HTTP, or could mean two things to two readers.
  static func malformed(_ message: String) -> HTTPRejection {
    HTTPRejection(.badRequest, "malformed", message)
  }

  static func requestLineTooLong() -> HTTPRejection {
    HTTPRejection(.uriTooLong, "target-too-long", "the first line of the request is too long")
  }

  static func headersTooLarge() -> HTTPRejection {
    HTTPRejection(.requestHeaderFieldsTooLarge, "head-too-large", "the head of the request is too large")
  }

  static func bodyTooLarge(_ limit: Int) -> HTTPRejection {
    HTTPRejection(.contentTooLarge, "body-too-large", "a body may have \(limit) bytes here")
  }

  /// The body would have no place beside those of others; it is not read.
  static func bodyBudgetExceeded() -> HTTPRejection {
    HTTPRejection(
      .unavailable("overloaded", "too much is on its way to the server"), closesConnection: true)
  }

  static func requestTimeout() -> HTTPRejection {
    HTTPRejection(.requestTimeout, "timed-out", "the request has not come whole in time")
  }
}
