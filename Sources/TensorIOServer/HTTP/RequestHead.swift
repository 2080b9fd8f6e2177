/// All of a request but its body.
struct RequestHead: Sendable {
  let line: RequestLine
  let headers: HTTPHeaders
  let framing: BodyFraming
  /// Whom the client believes to talk to; one of HTTP/1.0 need not say.
  let authority: Authority?

  init(_ line: RequestLine, _ headers: HTTPHeaders) throws(Refusal) {
    (self.line, self.headers) = (line, headers)
    authority = try Self.authority(headers, line.version)
    framing = try BodyFraming(headers, line.version)
  }

  /// Whether the client wants the connection to end with the answer.
  var closes: Bool {
    let wishes = headers.all("Connection").flatMap(\.listed)
    if wishes.contains(where: { $0.isSameWord(as: "close") }) { return true }
    return line.version == .oneZero
      && !wishes.contains { $0.isSameWord(as: "keep-alive") }
  }

  /// Whether the client sends its body only when it is told to.
  var awaitsGo: Bool { line.version == .oneOne && framing.hasBody && headers["Expect"] != nil }

  private static func authority(
    _ headers: HTTPHeaders, _ version: HTTPVersion
  ) throws(Refusal) -> Authority? {
    let hosts = headers.all("Host")
    if hosts.isEmpty, version == .oneZero { return nil }
    guard hosts.count == 1, let authority = Authority(hosts[0]) else {
      throw .malformed("a request names its host, once")
    }
    return authority
  }
}
