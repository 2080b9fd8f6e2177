/// How a request has ended.
package struct HTTPStatus: Sendable, Hashable {
  package let code: Int
  package let reason: String

  package init(_ code: Int, _ reason: String) { (self.code, self.reason) = (code, reason) }

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
  package static let timedOut = HTTPStatus(408, "Request Timeout")
  package static let conflict = HTTPStatus(409, "Conflict")
  package static let lengthRequired = HTTPStatus(411, "Length Required")
  package static let contentTooLarge = HTTPStatus(413, "Content Too Large")
  package static let targetTooLong = HTTPStatus(414, "URI Too Long")
  package static let unsupportedType = HTTPStatus(415, "Unsupported Media Type")
  package static let expectationFailed = HTTPStatus(417, "Expectation Failed")
  package static let unprocessable = HTTPStatus(422, "Unprocessable Content")
  package static let tooManyRequests = HTTPStatus(429, "Too Many Requests")
  package static let headTooLarge = HTTPStatus(431, "Request Header Fields Too Large")
  package static let failed = HTTPStatus(500, "Internal Server Error")
  package static let notImplemented = HTTPStatus(501, "Not Implemented")
  package static let unavailable = HTTPStatus(503, "Service Unavailable")
  package static let versionUnsupported = HTTPStatus(505, "HTTP Version Not Supported")
}
