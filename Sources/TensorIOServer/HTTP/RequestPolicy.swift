#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Who is let in: judged by a request's head alone, before any of its body is read.
struct RequestPolicy: Sendable {
  let router: Router
  /// What a client has to know; `nil` when anybody may ask.
  let token: String?
  /// Whether only this machine can reach the server.
  let isLoopback: Bool
  /// By which other names the server may be called.
  let allowedHosts: [String]

  /// The route of a request that is let in.
  func route(of head: RequestHead) throws(HTTPRejection) -> Route {
    do throws(HTTPRejection) {
      try checkExpectation(head)
      try checkHost(head)
      try checkToken(head)
      try checkOrigin(head)
      return try matchRoute(head)
    } catch {
      // The body of a request that nobody wants is not read, so that nothing can follow it.
      var refusal = error
      refusal.closesConnection = head.framing.hasBody
      throw refusal
    }
  }

  /// The most bytes that the body of a request may have.
  func maxBodyBytes(_ route: Route, _ head: RequestHead) -> Int {
    let type = head.headers["Content-Type"]?.split(separator: ";").first.map(String.init) ?? ""
    let isJSON = Array(type.utf8)[...].trimmed.utf8Text.equalsIgnoringCase( "application/json")
    return isJSON ? min(route.maxBodyBytes, HTTPLimits.maxJSONBodyBytes) : route.maxBodyBytes
  }

  private func checkExpectation(_ head: RequestHead) throws(HTTPRejection) {
    let wishes = head.headers.values(for: "Expect")
    guard head.line.version == .http11, !wishes.isEmpty else { return }
    if wishes.count > 1 || !wishes[0].equalsIgnoringCase( "100-continue") {
      throw HTTPRejection(.expectationFailed, "expectation-failed", "nothing is promised beforehand")
    }
  }

  /// A page from elsewhere whose name has come to mean this machine is no friend.
  private func checkHost(_ head: RequestHead) throws(HTTPRejection) {
    guard isLoopback || !allowedHosts.isEmpty, let authority = head.authority else { return }
    let isKnown =
      authority.isIPAddress || authority.host == "localhost"
      || allowedHosts.contains { $0.equalsIgnoringCase( authority.host) }
    if !isKnown {
      throw HTTPRejection(.forbidden, "unknown-host", "the server is not called by this name")
    }
  }

  /// Whoever watches over the server need not know the token.
  private func checkToken(_ head: RequestHead) throws(HTTPRejection) {
    guard let token, !head.line.target.pathSegments.starts(with: ["v2", "health"]) else { return }
    let given = head.headers.values(for: "Authorization")
    if given.count == 1, AuthorizationHeader.token(from: given[0])?.isEqualInConstantTime(to: token) == true { return }
    var refusal = HTTPRejection(.unauthorized, "unauthorized", "the token is missing, or another")
    for challenge in AuthorizationHeader.challenges {
      refusal.response.headers.add("WWW-Authenticate", challenge)
    }
    throw refusal
  }

  /// What changes something is asked for by the server's own page, or by no page.
  private func checkOrigin(_ head: RequestHead) throws(HTTPRejection) {
    let origins = head.headers.values(for: "Origin")
    guard ![.get, .head].contains(head.line.method), !origins.isEmpty else { return }
    let host = head.headers["Host"] ?? ""
    let own = ["http://" + host, "https://" + host]
    if origins.count > 1 || !own.contains(where: { $0.equalsIgnoringCase( origins[0]) }) {
      throw HTTPRejection(.forbidden, "foreign-origin", "another site may not ask for this")
    }
  }

  private func matchRoute(_ head: RequestHead) throws(HTTPRejection) -> Route {
    guard HTTPMethod.known.contains(head.line.method) else {
      throw HTTPRejection(.notImplemented, "unknown-method", "there is no such method")
    }
    switch router.match(head.line.method, head.line.target) {
    case .route(let route): return route
    case .rejection(let response): throw HTTPRejection(response, closesConnection: false)
    }
  }
}

extension HTTPMethod {
  /// What may be asked for somewhere.
  fileprivate static let known = Set(
    ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]
      .map(HTTPMethod.init))
}

extension String {
  /// Whether two secrets are the same; how long that takes tells nothing of where they differ.
  func isEqualInConstantTime(to secret: String) -> Bool {
    let (given, wanted) = (Array(utf8), Array(secret.utf8))
    var difference = given.count ^ wanted.count
    for index in given.indices where !wanted.isEmpty {
      difference |= Int(given[index] ^ wanted[index % wanted.count])
    }
    return difference == 0 && !wanted.isEmpty
  }
}

/// Whom a client believes to talk to: a host, perhaps with a port.
struct Authority: Sendable, Hashable {
  /// In small letters; an address of IPv6 with its brackets.
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

  /// Whether it is an address, which no name service had to be asked for.
  var isIPAddress: Bool {
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return host.hasPrefix("[")
      || parts.count == 4 && parts.allSatisfy { UInt8(String($0) ?? "") != nil }
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

/// How a client says what it knows, in the field `Authorization`.
enum AuthorizationHeader {
  /// What a client is told that could say nothing, or something else.
  ///
  /// A person at a browser is asked for a password, which is the token; the name is anything.
  static let challenges = ["Bearer", #"Basic realm="TensorIO", charset="UTF-8""#]

  /// The token in a field such as `Bearer secret`; `nil` where there is none.
  static func token(from field: String) -> String? {
    let words = field.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return nil }
    if words[0].equalsIgnoringCase( "Bearer") { return words[1] }
    return words[0].equalsIgnoringCase( "Basic") ? basicPassword(in: words[1]) : nil
  }

  /// What stands behind the colon of `name:password` in base64.
  private static func basicPassword(in text: String) -> String? {
    guard let data = Data(base64Encoded: text),
      let pair = String(validating: data, as: UTF8.self),
      let colon = pair.firstIndex(of: ":")
    else { return nil }
    return String(pair[pair.index(after: colon)...])
  }
}
