#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Decides from a request's head, before its body is read, whether the request is accepted.
struct RequestPolicy: Sendable {
  let router: Router
  /// The token that clients must send; `nil` if none is required.
  let token: String?
  /// Whether the server is reachable from this machine only.
  let isLoopback: Bool
  /// Additional accepted values of `Host`.
  let allowedHosts: [String]
  /// The token of administrators, which replaces ``token``; `nil` if there is none.
  var adminToken: String?
  /// Whether all clients are administrators.
  var allowsAdministration = false

  /// Returns the route of an accepted request, or throws the rejection.
  func route(of head: RequestHead) throws(HTTPRejection) -> Route {
    do throws(HTTPRejection) {
      try checkExpectation(head)
      try checkHost(head)
      try checkToken(head)
      try checkOrigin(head)
      return try matchRoute(head)
    } catch {
      // The body of a rejected request is not read, so the next request cannot be located.
      var rejection = error
      rejection.closesConnection = head.framing.hasBody
      throw rejection
    }
  }

  /// Checks the host and the token of a call, whose method is found elsewhere.
  func check(_ head: RequestHead, requiresToken: Bool) throws(HTTPRejection) {
    try checkHost(head)
    if requiresToken { try compareToken(head) }
  }

  /// Returns the maximum size of the request's body, in bytes.
  func maxBodyBytes(_ route: Route, _ head: RequestHead) -> Int {
    guard route.maxJSONBodyBytes < route.maxBodyBytes,
      let type = head.headers["Content-Type"]?.split(separator: ";").first,
      Array(type.utf8)[...].trimmed.utf8Text.equalsIgnoringCase("application/json")
    else { return route.maxBodyBytes }
    return route.maxJSONBodyBytes
  }

  private func checkExpectation(_ head: RequestHead) throws(HTTPRejection) {
    let expectations = head.headers.values(for: "Expect")
    guard head.line.version == .http11, !expectations.isEmpty else { return }
    if expectations.count > 1 || !expectations[0].equalsIgnoringCase("100-continue") {
      throw HTTPRejection(
        .expectationFailed, "expectation-failed", "unsupported Expect header")
    }
  }

  /// Prevents DNS rebinding: a server on a loopback address rejects unknown values of `Host`.
  private func checkHost(_ head: RequestHead) throws(HTTPRejection) {
    guard isLoopback || !allowedHosts.isEmpty, let authority = head.authority else { return }
    let isKnown =
      authority.host == "localhost" || authority.isIPAddress
      || allowedHosts.contains { $0.equalsIgnoringCase(authority.host) }
    if !isKnown {
      throw HTTPRejection(.forbidden, "unknown-host", "unknown Host '\(authority.host)'")
    }
  }

  /// Health routes are exempt from authentication.
  private func checkToken(_ head: RequestHead) throws(HTTPRejection) {
    guard token != nil, !head.line.target.pathSegments.starts(with: ["v2", "health"]) else {
      return
    }
    guard case .route(let route) = router.match(head.line.method, head.line.target) else {
      return try compareToken(head)
    }
    guard route.requiresToken else { return }
    do throws(HTTPRejection) {
      try compareToken(head)
    } catch {
      var rejection = error
      if let form = route.errorForm { rejection.response = form(rejection.response) }
      throw rejection
    }
  }

  /// Whether a client may load, unload and configure models.
  ///
  /// If administrators have a token, the token of the server does not suffice. Without any token,
  /// there are no administrators, because every client could be one.
  func isAdministrator(_ headers: HTTPHeaders) -> Bool {
    if allowsAdministration { return true }
    guard let adminToken else { return token != nil }
    return Self.hasToken(adminToken, headers)
  }

  private func compareToken(_ head: RequestHead) throws(HTTPRejection) {
    guard let token else { return }
    if [token, adminToken].contains(where: { $0.map { Self.hasToken($0, head.headers) } == true }) {
      return
    }
    var rejection = HTTPRejection(.unauthorized, "unauthorized", "missing or invalid token")
    for challenge in AuthorizationHeader.challenges {
      rejection.response.headers.add("WWW-Authenticate", challenge)
    }
    throw rejection
  }

  private static func hasToken(_ token: String, _ headers: HTTPHeaders) -> Bool {
    let values = headers.values(for: "Authorization")
    return values.count == 1
      && AuthorizationHeader.token(from: values[0])?.isEqualInConstantTime(to: token) == true
  }

  /// Prevents cross-site request forgery: rejects writes whose `Origin` is another site.
  private func checkOrigin(_ head: RequestHead) throws(HTTPRejection) {
    let origins = head.headers.values(for: "Origin")
    guard !origins.isEmpty, head.line.method != .get, head.line.method != .head else { return }
    let host = head.headers["Host"] ?? ""
    let ownOrigins = ["http://" + host, "https://" + host]
    if origins.count > 1 || !ownOrigins.contains(where: { $0.equalsIgnoringCase(origins[0]) }) {
      throw HTTPRejection(.forbidden, "cross-origin", "cross-origin request denied")
    }
  }

  private func matchRoute(_ head: RequestHead) throws(HTTPRejection) -> Route {
    guard HTTPMethod.known.contains(head.line.method) else {
      throw HTTPRejection(
        .notImplemented, "unsupported-method", "method \(head.line.method.rawValue) is unknown")
    }
    switch router.match(head.line.method, head.line.target) {
    case .route(let route): return route
    case .rejection(let response): throw HTTPRejection(response, closesConnection: false)
    }
  }
}

extension HTTPMethod {
  /// The methods that HTTP defines; any of them may be unsupported at a particular path.
  fileprivate static let known = Set(
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]
      .map(HTTPMethod.init))
}

extension String {
  /// Whether two secrets are equal, in a time that does not depend on where they differ.
  func isEqualInConstantTime(to secret: String) -> Bool {
    let (actual, expected) = (Array(utf8), Array(secret.utf8))
    var difference = actual.count ^ expected.count
    for index in actual.indices where !expected.isEmpty {
      difference |= Int(actual[index] ^ expected[index % expected.count])
    }
    return difference == 0 && !expected.isEmpty
  }
}

/// The value of a `Host` header: a host and an optional port.
struct Authority: Sendable, Hashable {
  /// The host in lowercase; an IPv6 address includes its brackets.
  let host: String
  let port: Int?

  init?(_ text: String) {
    let bytes = Array(text.lowercased().utf8)[...]
    let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : nil
    let colon = bytes[(end ?? 0)...].firstIndex(of: .colon) ?? bytes.endIndex
    let host = bytes[..<colon]
    guard Self.isHostName(host) || Self.isBracketedIPv6(host) else { return nil }
    self.host = host.utf8Text
    let digits = bytes[colon...].dropFirst()
    port = Int(digits.utf8Text)
    guard digits.isEmpty || digits.allSatisfy(\.isDigit) && (port ?? 65536) < 65536 else {
      return nil
    }
  }

  /// Whether the host is an IP address, which DNS cannot rebind.
  var isIPAddress: Bool {
    guard host.utf8.first?.isDigit == true else { return host.hasPrefix("[") }
    var (number, digits, parts) = (0, 0, 1)
    for byte in host.utf8 {
      if byte == UInt8(ascii: "."), digits > 0 {
        (number, digits, parts) = (0, 0, parts + 1)
      } else if byte.isDigit, digits < 3 {
        (number, digits) = (number * 10 + Int(byte - UInt8(ascii: "0")), digits + 1)
        if number > 255 { return false }
      } else {
        return false
      }
    }
    return parts == 4 && digits > 0
  }

  private static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy { $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }
  }

  private static func isBracketedIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count > 3, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
      return false
    }
    let address = bytes.dropFirst().dropLast()
    return address.filter { $0 == .colon }.count > 1
      && address.allSatisfy { $0.hexDigitValue != nil || ":.".utf8.contains($0) }
  }
}

/// Parses the `Authorization` header.
enum AuthorizationHeader {
  /// The values of `WWW-Authenticate`.
  ///
  /// A browser asks for a user name, which is ignored, and a password, which is the token.
  static let challenges = ["Bearer", #"Basic realm="TensorIO", charset="UTF-8""#]

  /// Returns the token in a value such as `Bearer secret`; `nil` if there is none.
  static func token(from field: String) -> String? {
    let parts = field.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    if parts[0].equalsIgnoringCase("Bearer") { return parts[1] }
    return parts[0].equalsIgnoringCase("Basic") ? basicPassword(in: parts[1]) : nil
  }

  /// Returns the password of base64-encoded `name:password`.
  private static func basicPassword(in text: String) -> String? {
    guard let data = Data(base64Encoded: text),
      let pair = String(validating: data, as: UTF8.self),
      let colon = pair.firstIndex(of: ":")
    else { return nil }
    return String(pair[pair.index(after: colon)...])
  }
}
