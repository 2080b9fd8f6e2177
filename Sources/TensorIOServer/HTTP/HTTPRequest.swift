/// A request of which everything has arrived, and which is framed without any doubt.
package struct HTTPRequest: Sendable {
  /// By what the request is known in the log and in its answer.
  package var id: String
  package var method: HTTPMethod
  package var target: RequestTarget
  package var headers: HTTPHeaders
  /// The body, whole and within the limit of its route.
  package var body: [UInt8]
  /// What the path's open places hold, by their names.
  package internal(set) var pathParameters: [String: String] = [:]

  /// A request.
  package init(
    id: String = "", _ method: HTTPMethod, _ target: RequestTarget, headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    (self.id, self.method, self.target) = (id, method, target)
    (self.headers, self.body) = (headers, body)
  }
}

/// What a request wants to have done.
package struct HTTPMethod: Sendable, Hashable, RawRepresentable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static let get = HTTPMethod(rawValue: "GET")
  package static let head = HTTPMethod(rawValue: "HEAD")
  package static let post = HTTPMethod(rawValue: "POST")
  package static let put = HTTPMethod(rawValue: "PUT")
  package static let delete = HTTPMethod(rawValue: "DELETE")
}

/// All of a request but its body.
struct RequestHead: Sendable {
  let line: RequestLine
  let headers: HTTPHeaders
  let framing: BodyFraming
  /// Whom the client believes to talk to; one of HTTP/1.0 need not say.
  let authority: Authority?

  init(_ line: RequestLine, _ headers: HTTPHeaders) throws(HTTPRejection) {
    (self.line, self.headers) = (line, headers)
    authority = try Self.authority(headers, line.version)
    framing = try BodyFraming(headers, line.version)
  }

  /// Whether the client wants the connection to end with the answer.
  var closesConnection: Bool {
    let wishes = headers.values(for: "Connection").flatMap(\.commaSeparatedTokens)
    if wishes.contains(where: { $0.equalsIgnoringCase( "close") }) { return true }
    return line.version == .http10
      && !wishes.contains { $0.equalsIgnoringCase( "keep-alive") }
  }

  /// Whether the client sends its body only when it is told to.
  var expects100Continue: Bool { line.version == .http11 && framing.hasBody && headers["Expect"] != nil }

  private static func authority(
    _ headers: HTTPHeaders, _ version: HTTPVersion
  ) throws(HTTPRejection) -> Authority? {
    let hosts = headers.values(for: "Host")
    if hosts.isEmpty, version == .http10 { return nil }
    guard hosts.count == 1, let authority = Authority(hosts[0]) else {
      throw .malformed("a request names its host, once")
    }
    return authority
  }
}

/// How a request wants to be understood.
enum HTTPVersion: Sendable {
  case http10, http11
}

/// The first line of a request.
struct RequestLine: Sendable {
  let method: HTTPMethod
  let target: RequestTarget
  /// The path as it was asked for.
  let path: String
  let version: HTTPVersion

  init(_ line: ArraySlice<UInt8>) throws(HTTPRejection) {
    let words = line.split(separator: .space, maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isToken) else {
      throw .malformed("the first line is a method, a target and a version")
    }
    version = try HTTPVersion(words[2])
    method = HTTPMethod(rawValue: words[0].utf8Text)
    guard let target = RequestTarget(words[1].utf8Text) else {
      throw .malformed("the target is no path, or one that could mean two things")
    }
    self.target = target
    path = words[1].prefix { $0 != UInt8(ascii: "?") }.utf8Text
  }
}

extension HTTPVersion {
  fileprivate init(_ word: ArraySlice<UInt8>) throws(HTTPRejection) {
    let word = word.utf8Text
    guard word.utf8.count == 8, word.hasPrefix("HTTP/"), word.utf8.dropFirst(6).first == 0x2E,
      word.utf8.dropFirst(5).first?.isDigit == true, word.utf8.last?.isDigit == true
    else { throw .malformed("the first line ends with a version") }
    switch word {
    case "HTTP/1.0": self = .http10
    case "HTTP/1.1": self = .http11
    default:
      throw HTTPRejection(.httpVersionNotSupported, "version-unsupported", "HTTP/1.1 is spoken here")
    }
  }
}

/// Names for requests: the client's own, or one that is given only once.
struct RequestIDGenerator {
  private let prefix = UInt32.random(in: 0 ... .max)
  private var count: UInt64 = 0

  private static let maxLength = 64

  /// The name of a request; one that the client gave is taken over when it fits into a log.
  mutating func id(for headers: HTTPHeaders?) -> String {
    if let wish = headers?["X-Request-Id"], Self.isValid(wish) { return wish }
    count += 1
    return String(prefix, radix: 16) + "-" + String(count, radix: 16)
  }

  private static func isValid(_ name: String) -> Bool {
    (1...maxLength).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }
}
