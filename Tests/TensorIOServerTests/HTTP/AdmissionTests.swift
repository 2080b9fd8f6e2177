import Testing
@testable import TensorIOServer

@Suite struct AdmissionTests {
  /// The status with which a request is refused; `nil` when it is let in.
  private func refusal(
    _ headers: HTTPHeaders, of line: String = "GET /here HTTP/1.1", token: String? = nil,
    isLoopback: Bool = true, names: [String] = []
  ) throws -> Int? {
    let admission = RequestPolicy(
      router: Router(TestRoutes().routes), token: token, isLoopback: isLoopback, allowedHosts: names)
    let head = try RequestHead(RequestLine(Array(line.utf8)[...]), headers)
    do { _ = try admission.route(of: head) } catch { return error.response.status.code }
    return nil
  }

  @Test(arguments: ["Bearer secret", "bearer secret", "Basic YTpzZWNyZXQ=", "basic OnNlY3JldA=="])
  func `who knows the token is let in`(value: String) throws {
    #expect(try refusal(["Host": "localhost", "Authorization": value], token: "secret") == nil)
  }

  @Test(arguments: [
    "", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer Secret",
    "Bearer  secret", "Basic secret", "Basic c2VjcmV0", "Basic YTpzZWNyZXRz", "Basic /zpz",
    "Basic", "Bearer secretsecret", "Digest secret",
  ])
  func `who does not is not`(value: String) throws {
    #expect(try refusal(["Host": "localhost", "Authorization": value], token: "secret") == 401)
  }

  @Test func `one token is enough`() throws {
    var headers: HTTPHeaders = ["Host": "localhost", "Authorization": "Bearer wrong"]
    headers.add("Authorization", "Bearer secret")
    #expect(try refusal(headers, token: "secret") == 401)
    #expect(try refusal(["Host": "localhost"], token: "secret") == 401)
  }

  @Test func `health is for everybody`() throws {
    let headers: HTTPHeaders = ["Host": "localhost"]
    #expect(try refusal(headers, of: "GET /v2/health/live HTTP/1.1", token: "secret") == nil)
    #expect(try refusal(headers, of: "GET /v2/nothing HTTP/1.1", token: "secret") == 401)
  }

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:80", true), ("127.0.0.1", true), ("[::1]:80", true),
    ("example.com", false), ("localhost.", false), ("127.0.0.1.example.com", false),
    ("1.2.3", false), ("1.2.3.256", false), ("studio.local", true),
  ])
  func `on this machine the server has few names`(host: String, isIn: Bool) throws {
    let status = try refusal(["Host": host], names: ["studio.local"])
    #expect(status == (isIn ? nil : 403))
  }

  @Test func `elsewhere it is called as it may be`() throws {
    #expect(try refusal(["Host": "example.com"], token: nil, isLoopback: false) == nil)
  }

  @Test(arguments: [
    ("GET", "http://example.com", true), ("POST", "http://localhost:80", true),
    ("POST", "https://LOCALHOST:80", true), ("POST", "http://localhost", false),
    ("POST", "http://example.com", false), ("POST", "null", false), ("POST", "", false),
    ("POST", "ftp://localhost:80", false),
  ])
  func `what changes something is for the server's own page`(
    method: String, origin: String, isIn: Bool
  ) throws {
    let status = try refusal(
      ["Host": "localhost:80", "Origin": origin], of: "\(method) /here HTTP/1.1")
    #expect(status == (isIn ? nil : 403))
  }

  @Test func `who says not whom is meant changes nothing`() throws {
    let line = "POST /here HTTP/1.0"
    #expect(try refusal(["Origin": "http://localhost"], of: line, isLoopback: false) == 403)
  }

  @Test(arguments: [
    ("application/json", 8 << 20), ("Application/JSON; charset=utf-8", 8 << 20),
    ("image/jpeg", 64 << 20), ("application/json-seq", 64 << 20),
  ])
  func `a body of JSON is smaller`(type: String, limit: Int) throws {
    let admission = RequestPolicy(
      router: Router(TestRoutes().routes), token: nil, isLoopback: true, allowedHosts: [])
    let head = try RequestHead(
      RequestLine(Array("POST /here HTTP/1.1".utf8)[...]),
      ["Host": "localhost", "Content-Type": type])
    #expect(admission.maxBodyBytes(try admission.route(of: head), head) == limit)
  }
}
