/// A complete request.
package struct HTTPRequest: Sendable {
  /// The identifier in the log and in the response.
  package var id: String
  package var method: HTTPMethod
  package var target: RequestTarget
  package var headers: HTTPHeaders
  /// The complete body, within the limit of its route.
  package var body: [UInt8]
  /// The state that the handler shares with the connection.
  package internal(set) var context = RequestContext()
  /// The values of the route's path parameters.
  package internal(set) var pathParameters = PathParameters()
  /// The coding of the body, which its handler decodes; `nil` if the body is not compressed.
  var bodyCoding: String?

  /// Creates a request.
  package init(
    id: String = "", _ method: HTTPMethod, _ target: RequestTarget, headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    (self.id, self.method, self.target) = (id, method, target)
    (self.headers, self.body) = (headers, body)
  }
}

/// An HTTP method.
package struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static let get = HTTPMethod(rawValue: "GET")
  package static let head = HTTPMethod(rawValue: "HEAD")
  package static let post = HTTPMethod(rawValue: "POST")
  package static let put = HTTPMethod(rawValue: "PUT")
  package static let delete = HTTPMethod(rawValue: "DELETE")
}

/// A request's head: everything but its body.
struct RequestHead: Sendable {
  let line: RequestLine
  let headers: HTTPHeaders
  let framing: BodyFraming
  /// The value of `Host`, which is optional in HTTP/1.0.
  let authority: Authority?

  init(_ line: RequestLine, _ headers: HTTPHeaders) throws(HTTPRejection) {
    (self.line, self.headers) = (line, headers)
    authority = try Self.authority(headers, line.version)
    framing = try BodyFraming(headers, line.version)
  }

  /// Creates the head of a request that is not HTTP/1.1; `nil` if the authority is invalid.
  init?(_ method: HTTPMethod, _ target: RequestTarget, path: String, headers: HTTPHeaders) {
    line = RequestLine(method, target, path: path)
    self.headers = headers
    framing = .length(0)
    authority = headers["Host"].flatMap { Authority($0) }
    if authority == nil, headers["Host"] != nil { return nil }
  }

  /// Whether the connection closes after the response.
  var closesConnection: Bool {
    let options = headers.values(for: "Connection").flatMap(\.commaSeparatedTokens)
    if options.contains(where: { $0.equalsIgnoringCase("close") }) { return true }
    return line.version == .http10
      && !options.contains { $0.equalsIgnoringCase("keep-alive") }
  }

  /// Whether the client waits for `100 Continue` before it sends the body.
  var expects100Continue: Bool {
    line.version == .http11 && framing.hasBody && headers["Expect"] != nil
  }

  private static func authority(
    _ headers: HTTPHeaders, _ version: HTTPVersion
  ) throws(HTTPRejection) -> Authority? {
    let hosts = headers.values(for: "Host")
    if hosts.isEmpty, version == .http10 { return nil }
    guard hosts.count == 1, let authority = Authority(hosts[0]) else {
      throw .malformed("exactly one valid Host header is required")
    }
    return authority
  }
}

/// A supported version of HTTP.
enum HTTPVersion: Sendable {
  case http10, http11
}

/// The request line.
struct RequestLine: Sendable {
  let method: HTTPMethod
  let target: RequestTarget
  /// The path as sent, without the query.
  let path: String
  let version: HTTPVersion

  init(_ method: HTTPMethod, _ target: RequestTarget, path: String) {
    (self.method, self.target, self.path, version) = (method, target, path, .http11)
  }

  init(_ line: ArraySlice<UInt8>) throws(HTTPRejection) {
    guard let end = line.firstIndex(of: .space), end > line.startIndex,
      line[..<end].allSatisfy(\.isToken),
      let last = line[(end + 1)...].firstIndex(of: .space), !line[(last + 1)...].contains(.space)
    else { throw .malformed("expected a request line with a method, a target and a version") }
    version = try HTTPVersion(line[(last + 1)...])
    method = HTTPMethod(rawValue: line[..<end].utf8Text)
    let text = line[(end + 1)..<last]
    guard let target = RequestTarget(text) else {
      throw .malformed("the request target is invalid or ambiguous")
    }
    self.target = target
    path = text.prefix { $0 != UInt8(ascii: "?") }.utf8Text
  }
}

extension HTTPVersion {
  fileprivate init(_ word: ArraySlice<UInt8>) throws(HTTPRejection) {
    let digits = Array(word.dropFirst(5))
    guard digits.count == 3, word.starts(with: "HTTP/".utf8), digits[0].isDigit,
      digits[1] == UInt8(ascii: "."), digits[2].isDigit
    else { throw .malformed("the request line must end with an HTTP version") }
    switch (digits[0], digits[2]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): self = .http10
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): self = .http11
    default:
      throw HTTPRejection(
        .httpVersionNotSupported, "http-version-not-supported",
        "only HTTP/1.1 and HTTP/1.0 are supported")
    }
  }
}

/// Generates request identifiers that are unique within the process.
struct RequestIDGenerator {
  private let prefix = UInt32.random(in: 0 ... .max)
  private var count: UInt64 = 0

  private static let maxLength = 64

  /// Returns the client's `X-Request-Id` if it is valid for a log, or else a new identifier.
  mutating func id(for headers: HTTPHeaders?) -> String {
    if let id = headers?["X-Request-Id"], Self.isValid(id) { return id }
    count += 1
    return String(prefix, radix: 16) + "-" + String(count, radix: 16)
  }

  private static func isValid(_ id: String) -> Bool {
    (1...maxLength).contains(id.utf8.count)
      && id.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }
}
