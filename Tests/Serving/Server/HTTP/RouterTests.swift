import TensorIOServer
import Testing

@Suite struct RouterTests {
  private static let router = Router([
    Route(.get, "/v2/models/:name", .inline) { request in
      HTTPResponse(type: "text/plain", body: Array((request.pathParameters["name"] ?? "").utf8))
    },
    Route(.post, "/v2/models/:name/predict") { _ in
      HTTPResponse(type: "text/plain", body: [])
    },
  ])

  private func response(_ method: HTTPMethod, _ target: String) throws -> HTTPResponse {
    Self.router.respond(to: HTTPRequest(method, try #require(RequestTarget(target))))
  }

  @Test func `A path parameter is decoded`() throws {
    let response = try response(.get, "/v2/models/two%20words")
    #expect(response.status == .ok)
    #expect(response.body == Array("two words".utf8))
  }

  @Test func `HEAD matches a route for GET`() throws {
    #expect(try response(.head, "/v2/models/a").status == .ok)
  }

  @Test func `An unsupported method is rejected with the allowed ones`() throws {
    let response = try response(.put, "/v2/models/a")
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers["allow"] == "GET, HEAD")
  }

  @Test(arguments: ["/", "/v2", "/v2/models/a/b", "/V2/models/a"])
  func `An unknown path is not found`(target: String) throws {
    #expect(try response(.get, target).status == .notFound)
  }
}

@Suite struct RequestTargetTests {
  @Test func `A target consists of segments and query items`() throws {
    let target = try #require(RequestTarget("/a%2Db/c?top=3&score=0.5&name=a+b%26&flag&top=4"))
    #expect(target.pathSegments == ["a-b", "c"])
    #expect(target["top"] == "4")
    #expect(target["score"] == "0.5")
    #expect(target["name"] == "a b&")
    #expect(target["flag"] == "")
    #expect(target["none"] == nil)
  }

  @Test func `A slash at the end has no meaning`() throws {
    #expect(try #require(RequestTarget("/v2/")).pathSegments == ["v2"])
    let target = try #require(RequestTarget("/a%2Db/c/?top=3"))
    #expect(target.pathSegments == ["a-b", "c"] && target["top"] == "3")
  }

  @Test(arguments: [
    "", "a", "*", "http://x/a", "//", "//a", "/a//", "/a//b", "/a/./", "/./a", "/../a", "/%2e%2e/a",
    "/a%2Fb",
    "/a%00b", "/a%0ab", "/a%zz", "/a%4", "/a b", "/a#b", "/a\\b", "/%ff", "/é",
  ])
  func `An ambiguous target is rejected`(target: String) {
    #expect(RequestTarget(target) == nil)
  }
}
