package import TensorIOBundle
package import TensorIOJSON

/// A response to a request.
package struct HTTPResponse: Sendable {
  package var status: HTTPStatus
  package var headers: HTTPHeaders
  package var content: ResponseBody
  /// What went wrong; `nil` unless the body describes an error.
  package private(set) var error: ErrorDetail?

  /// An error, for protocols that do not send the body.
  package struct ErrorDetail: Sendable, Equatable {
    /// The code for programs.
    package let code: String
    /// The message for people.
    package let message: String
    /// The reason of a failure of the server, for the log; `nil` if the message has it.
    ///
    /// It can name files and is never sent to clients.
    package var reason: String?

    /// The reason that the log has: of failures of the server, and of malformed requests.
    ///
    /// Messages about values of clients are not logged.
    var logReason: String? { reason ?? (code.hasPrefix("malformed-") ? message : nil) }
  }

  /// Adds the reason of a failure of the server, for the log.
  mutating func setReason(_ reason: String?) { error?.reason = reason }

  /// Creates a response with a body of the given media type.
  package init(_ status: HTTPStatus = .ok, type: String, body: [UInt8]) {
    (self.status, headers, content) = (status, ["Content-Type": type], .whole(body))
  }

  /// Creates a response with a body that is made while it is sent.
  package init(type: String, stream: ResponseBody.Stream) {
    (status, headers, content) = (.ok, ["Content-Type": type], .stream(stream))
  }

  /// Creates a response whose body is a stream of events, which proxies pass on as they come.
  init(events stream: ResponseBody.Stream) {
    self.init(type: "text/event-stream; charset=utf-8", stream: stream)
    headers["Cache-Control"] = "no-cache"
    headers["X-Accel-Buffering"] = "no"
  }

  /// The bytes of a complete body; empty for a stream.
  package var body: [UInt8] {
    get { if case .whole(let bytes) = content { bytes } else { [] } }
    set { content = .whole(newValue) }
  }

  /// Creates a response with one line of JSON.
  package static func json(
    _ status: HTTPStatus = .ok, _ write: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    var writer = JSONWriter(.compact)
    write(&writer)
    return HTTPResponse(
      status, type: "application/json", body: writer.bytes + [UInt8(ascii: "\n")])
  }

  /// Creates a response with a JSON object.
  package static func jsonObject(
    _ status: HTTPStatus = .ok, _ members: (inout JSONWriter) -> Void
  ) -> HTTPResponse {
    json(status) { $0.object(members) }
  }

  /// Creates a 503 response that asks the client to retry.
  package static func unavailable(
    _ code: String, _ message: String, retryAfter: Int = defaultRetryAfter
  ) -> HTTPResponse {
    var response = error(.serviceUnavailable, code, message)
    response.headers["Retry-After"] = "\(retryAfter)"
    return response
  }

  /// The default value of `Retry-After`, in seconds.
  static let defaultRetryAfter = 1

  /// Creates an error response: a message for people, in the key that inference protocols define, and
  /// a code for programs.
  package static func error(
    _ status: HTTPStatus, _ code: String, _ message: String, diagnostics: [Diagnostic]? = nil
  ) -> HTTPResponse {
    var response = jsonObject(status) { writer in
      writer.member("error", message)
      writer.member("code", code)
      if let diagnostics { writer.member("diagnostics", array: diagnostics) { $0.value($1) } }
    }
    response.error = ErrorDetail(code: code, message: message)
    return response
  }
}

/// The parts of a response that depend on the connection.
struct ResponseFraming {
  /// The request's identifier.
  var requestID: String
  /// Whether the connection closes after this response.
  var closesConnection = false
  /// Whether the request was HTTP/1.0, which needs an explicit `keep-alive`.
  var isHTTP10 = false
  /// Whether to omit the body, as for HEAD.
  var omitsBody = false
}

extension HTTPResponse {
  /// Returns the head as bytes, without invalid or reserved header fields.
  func serializedHead(_ framing: ResponseFraming) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes += "HTTP/1.1 ".utf8
    bytes += String(status.code).utf8
    bytes.append(.space)
    bytes += status.reasonPhrase.utf8
    bytes += "\r\n".utf8
    for (name, value) in validFields { bytes.addField(name, value) }
    if status.allowsBody {
      switch content {
      case .whole(let body): bytes.addField("Content-Length", String(body.count))
      case .stream where framing.isHTTP10: break
      case .stream: bytes.addField("Transfer-Encoding", "chunked")
      }
    }
    bytes.addField("X-Request-Id", framing.requestID)
    if framing.closesConnection {
      bytes.addField("Connection", "close")
    } else if framing.isHTTP10 {
      bytes.addField("Connection", "keep-alive")
    }
    bytes += "\r\n".utf8
    return bytes
  }

  /// Returns the header fields of a response of HTTP/2.
  func http2Fields(_ framing: ResponseFraming) -> [HTTP2Stream.Field] {
    var fields = [HTTP2Stream.Field](arrayLiteral: (":status", "\(status.code)"))
    fields += validFields.map { ($0.name.lowercased(), $0.value) }
    if status.allowsBody, case .whole(let body) = content {
      fields.append(("content-length", "\(body.count)"))
    }
    fields.append(("x-request-id", framing.requestID))
    return fields
  }

  /// The header fields, without invalid and reserved ones.
  private var validFields: [(name: String, value: String)] {
    let isValid = headers.fields.allSatisfy(Self.mayBeSent)
    return isValid ? headers.fields : headers.fields.filter(Self.mayBeSent)
  }

  private static func mayBeSent(_ field: HTTPHeaders.Field) -> Bool {
    !isReservedHeader(field.name) && isValidField(field.name, field.value)
  }

  /// Returns the body as bytes; empty if the status or the method does not permit one.
  func serializedBody(_ framing: ResponseFraming) -> [UInt8] {
    status.allowsBody && !framing.omitsBody ? body : []
  }

  /// Returns the body if it is made while it is sent.
  func stream(_ framing: ResponseFraming) -> ResponseBody.Stream? {
    guard case .stream(let stream) = content, status.allowsBody, !framing.omitsBody else {
      return nil
    }
    return stream
  }

  private static let reservedHeaders = [
    "Content-Length", "Connection", "X-Request-Id", "Transfer-Encoding",
  ]

  private static func isReservedHeader(_ name: String) -> Bool {
    reservedHeaders.contains { $0.equalsIgnoringCase(name) }
  }

  private static func isValidField(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isToken) && value.utf8.allSatisfy(\.isFieldText)
  }
}

extension ResponseFraming {
  /// Returns bytes of a stream as a chunk: size, bytes and line breaks, and the end after the last.
  ///
  /// HTTP/1.0 has no chunks; its streams end with the connection.
  func chunk(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
    guard !isHTTP10 else { return bytes }
    var chunk: [UInt8] = []
    chunk.reserveCapacity(bytes.count + 24)
    // A chunk without bytes would be the last one.
    if !bytes.isEmpty {
      chunk += "\(String(bytes.count, radix: 16))\r\n".utf8
      chunk += bytes
      chunk += "\r\n".utf8
    }
    if isLast { chunk += "0\r\n\r\n".utf8 }
    return chunk
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

/// A status code and its reason phrase.
package struct HTTPStatus: Sendable, Hashable {
  package let code: Int
  package let reasonPhrase: String

  package init(_ code: Int, _ reasonPhrase: String) {
    (self.code, self.reasonPhrase) = (code, reasonPhrase)
  }

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
  package static let requestHeaderFieldsTooLarge = HTTPStatus(
    431, "Request Header Fields Too Large")
  package static let internalServerError = HTTPStatus(500, "Internal Server Error")
  package static let notImplemented = HTTPStatus(501, "Not Implemented")
  package static let serviceUnavailable = HTTPStatus(503, "Service Unavailable")
  package static let httpVersionNotSupported = HTTPStatus(505, "HTTP Version Not Supported")
}

/// An error response to a request that is not passed to a handler.
struct HTTPRejection: Error {
  var response: HTTPResponse
  /// Whether the connection must close because the start of the next request is unknown.
  var closesConnection: Bool

  init(_ response: HTTPResponse, closesConnection: Bool) {
    (self.response, self.closesConnection) = (response, closesConnection)
  }

  init(_ status: HTTPStatus, _ code: String, _ message: String, closesConnection: Bool = true) {
    response = .error(status, code, message)
    self.closesConnection = closesConnection
  }

  /// The request is not valid HTTP, or is ambiguous.
  static func malformed(_ message: String) -> HTTPRejection {
    HTTPRejection(.badRequest, "malformed-request", message)
  }

  static func requestLineTooLong() -> HTTPRejection {
    HTTPRejection(.uriTooLong, "uri-too-long", "the request line is too long")
  }

  static func headersTooLarge() -> HTTPRejection {
    HTTPRejection(
      .requestHeaderFieldsTooLarge, "headers-too-large", "the request head is too large")
  }

  static func bodyTooLarge(_ limit: Int) -> HTTPRejection {
    HTTPRejection(.contentTooLarge, "body-too-large", "the body exceeds \(limit) bytes")
  }

  /// There is no memory for the body, whose rest is not read.
  static func noMemory(_ error: ClientError) -> HTTPRejection {
    HTTPRejection(error.response, closesConnection: true)
  }

  static func requestTimeout() -> HTTPRejection {
    HTTPRejection(.requestTimeout, "request-timeout", "the request was not received in time")
  }
}
