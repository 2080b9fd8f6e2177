/// Who is let in: judged by a request's head alone, before any of its body is read.
struct Admission: Sendable {
  let routes: RouteTable
  /// What a client has to know; `nil` when anybody may ask.
  let token: String?
  /// Whether only this machine can reach the server.
  let isLoopback: Bool
  /// By which other names the server may be called.
  let names: [String]

  /// The route of a request that is let in.
  func route(of head: RequestHead) throws(Refusal) -> Route {
    do throws(Refusal) {
      try checkExpectation(head)
      try checkHost(head)
      try checkToken(head)
      try checkOrigin(head)
      return try find(head)
    } catch {
      // The body of a request that nobody wants is not read, so that nothing can follow it.
      var refusal = error
      refusal.endsConnection = head.framing.hasBody
      throw refusal
    }
  }

  /// The most bytes that the body of a request may have.
  func bodyLimit(_ route: Route, _ head: RequestHead) -> Int {
    let type = head.headers["Content-Type"]?.split(separator: ";").first.map(String.init) ?? ""
    let isJSON = Array(type.utf8)[...].trimmed.text.isSameWord(as: "application/json")
    return isJSON ? min(route.bodyLimit, ServerLimits.jsonBytes) : route.bodyLimit
  }

  private func checkExpectation(_ head: RequestHead) throws(Refusal) {
    let wishes = head.headers.all("Expect")
    guard head.line.version == .oneOne, !wishes.isEmpty else { return }
    if wishes.count > 1 || !wishes[0].isSameWord(as: "100-continue") {
      throw Refusal(.expectationFailed, "expectation-failed", "nothing is promised beforehand")
    }
  }

  /// A page from elsewhere whose name has come to mean this machine is no friend.
  private func checkHost(_ head: RequestHead) throws(Refusal) {
    guard isLoopback || !names.isEmpty, let authority = head.authority else { return }
    let isKnown =
      authority.isAddress || authority.host == "localhost"
      || names.contains { $0.isSameWord(as: authority.host) }
    if !isKnown {
      throw Refusal(.forbidden, "unknown-host", "the server is not called by this name")
    }
  }

  /// Whoever watches over the server need not know the token.
  private func checkToken(_ head: RequestHead) throws(Refusal) {
    guard let token, !head.line.target.path.starts(with: ["v2", "health"]) else { return }
    let given = head.headers.all("Authorization")
    if given.count == 1, Credentials.token(in: given[0])?.isSameSecret(as: token) == true { return }
    var refusal = Refusal(.unauthorized, "unauthorized", "the token is missing, or another")
    for challenge in Credentials.challenges {
      refusal.response.headers.add("WWW-Authenticate", challenge)
    }
    throw refusal
  }

  /// What changes something is asked for by the server's own page, or by no page.
  private func checkOrigin(_ head: RequestHead) throws(Refusal) {
    let origins = head.headers.all("Origin")
    guard ![.get, .head].contains(head.line.method), !origins.isEmpty else { return }
    let host = head.headers["Host"] ?? ""
    let own = ["http://" + host, "https://" + host]
    if origins.count > 1 || !own.contains(where: { $0.isSameWord(as: origins[0]) }) {
      throw Refusal(.forbidden, "foreign-origin", "another site may not ask for this")
    }
  }

  private func find(_ head: RequestHead) throws(Refusal) -> Route {
    guard HTTPMethod.known.contains(head.line.method) else {
      throw Refusal(.notImplemented, "unknown-method", "there is no such method")
    }
    switch routes.find(head.line.method, head.line.target) {
    case .route(let route): return route
    case .refusal(let response): throw Refusal(response, endsConnection: false)
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
  func isSameSecret(as secret: String) -> Bool {
    let (given, wanted) = (Array(utf8), Array(secret.utf8))
    var difference = given.count ^ wanted.count
    for index in given.indices where !wanted.isEmpty {
      difference |= Int(given[index] ^ wanted[index % wanted.count])
    }
    return difference == 0 && !wanted.isEmpty
  }
}
