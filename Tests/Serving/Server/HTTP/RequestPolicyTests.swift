import Testing

@testable import TensorIOServer

@Suite struct RequestPolicyTests {
  /// Returns the status of the rejection; `nil` if the request is accepted.
  private func rejection(
    _ headers: HTTPHeaders, of line: String = "GET /here HTTP/1.1", token: String? = nil,
    isLoopback: Bool = true, allowedHosts: [String] = []
  ) throws -> Int? {
    let policy = RequestPolicy(
      router: Router(TestRoutes().routes), token: token, isLoopback: isLoopback,
      allowedHosts: allowedHosts)
    let head = try RequestHead(RequestLine(Array(line.utf8)[...]), headers)
    do { _ = try policy.route(of: head) } catch { return error.response.status.code }
    return nil
  }

  @Test(arguments: ["Bearer secret", "bearer secret", "Basic YTpzZWNyZXQ=", "basic OnNlY3JldA=="])
  func `A valid token is accepted`(value: String) throws {
    #expect(try rejection(["Host": "localhost", "Authorization": value], token: "secret") == nil)
  }

  @Test(arguments: [
    "", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer Secret",
    "Bearer  secret", "Basic secret", "Basic c2VjcmV0", "Basic YTpzZWNyZXRz", "Basic /zpz",
    "Basic", "Bearer secretsecret", "Digest secret",
  ])
  func `An invalid token is rejected`(value: String) throws {
    #expect(try rejection(["Host": "localhost", "Authorization": value], token: "secret") == 401)
  }

  @Test(
    arguments: [
      (nil, nil, false, "", false), (nil, nil, true, "", true), ("user", nil, false, "user", true),
      ("user", "admin", false, "user", false), ("user", "admin", false, "admin", true),
      (nil, "admin", false, "", false), (nil, "admin", false, "admin", true),
    ] as [(String?, String?, Bool, String, Bool)])
  func `Administrators have their token, or else that of the server`(
    token: String?, adminToken: String?, allowsAll: Bool, sent: String, isAdministrator: Bool
  ) throws {
    let policy = RequestPolicy(
      router: Router(TestRoutes().routes), token: token, isLoopback: true, allowedHosts: [],
      adminToken: adminToken, allowsAdministration: allowsAll)
    let headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer \(sent)"]
    #expect(policy.isAdministrator(headers) == isAdministrator)
    // An administrator may do everything else as well.
    let head = try RequestHead(RequestLine(Array("GET /here HTTP/1.1".utf8)[...]), headers)
    #expect(throws: Never.self) { try policy.route(of: head) }
  }

  @Test func `Several Authorization headers are rejected`() throws {
    var headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer wrong"]
    headers.add("Authorization", "Bearer secret")
    #expect(try rejection(headers, token: "secret") == 401)
    #expect(try rejection(["Host": "localhost"], token: "secret") == 401)
  }

  @Test func `Health routes need no token`() throws {
    let headers: HTTPHeaders = ["Host": "localhost"]
    #expect(try rejection(headers, of: "GET /v2/health/live HTTP/1.1", token: "secret") == nil)
    #expect(try rejection(headers, of: "GET /v2/nothing HTTP/1.1", token: "secret") == 401)
  }

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:80", true), ("127.0.0.1", true), ("[::1]:80", true),
    ("example.com", false), ("localhost.", false), ("127.0.0.1.example.com", false),
    ("1.2.3", false), ("1.2.3.256", false), ("studio.local", true),
  ])
  func `A loopback server accepts only known values of Host`(
    host: String, isAccepted: Bool
  ) throws {
    let status = try rejection(["Host": host], allowedHosts: ["studio.local"])
    #expect(status == (isAccepted ? nil : 403))
  }

  @Test func `A server on another address accepts any Host`() throws {
    #expect(try rejection(["Host": "example.com"], token: nil, isLoopback: false) == nil)
  }

  @Test(arguments: [
    ("GET", "http://example.com", true), ("POST", "http://localhost:80", true),
    ("POST", "https://LOCALHOST:80", true), ("POST", "http://localhost", false),
    ("POST", "http://example.com", false), ("POST", "null", false), ("POST", "", false),
    ("POST", "ftp://localhost:80", false),
  ])
  func `Writes from another origin are rejected`(
    method: String, origin: String, isAccepted: Bool
  ) throws {
    let status = try rejection(
      ["Host": "localhost:80", "Origin": origin], of: "\(method) /here HTTP/1.1")
    #expect(status == (isAccepted ? nil : 403))
  }

  @Test func `A write with an Origin and without a Host is rejected`() throws {
    let line = "POST /here HTTP/1.0"
    #expect(try rejection(["Origin": "http://localhost"], of: line, isLoopback: false) == 403)
  }

  @Test(arguments: [
    ("application/json", 8 << 20), ("Application/JSON; charset=utf-8", 8 << 20),
    ("image/jpeg", 64 << 20), ("application/json-seq", 64 << 20),
  ])
  func `JSON bodies have a lower limit`(type: String, limit: Int) throws {
    let policy = RequestPolicy(
      router: Router(TestRoutes().routes), token: nil, isLoopback: true, allowedHosts: [])
    let head = try RequestHead(
      RequestLine(Array("POST /here HTTP/1.1".utf8)[...]),
      ["Host": "localhost", "Content-Type": type])
    #expect(policy.maxBodyBytes(try policy.route(of: head), head) == limit)
  }
}
