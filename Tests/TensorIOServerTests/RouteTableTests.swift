import TensorIOServer
import Testing

@Suite struct RouteTableTests {
  private static let table = Router([
    Route(.get, "/v2/models/:name", .inline) { request in
      HTTPResponse(type: "text/plain", body: Array((request.pathParameters["name"] ?? "").utf8))
    },
    Route(.post, "/v2/models/:name/predict") { _ in
      HTTPResponse(type: "text/plain", body: [])
    },
  ])

  private func answer(_ method: HTTPMethod, _ target: String) throws -> HTTPResponse {
    Self.table.respond(to: HTTPRequest(method, try #require(RequestTarget(target))))
  }

  @Test func `an open place of a path has a name`() throws {
    let response = try answer(.get, "/v2/models/two%20words")
    #expect(response.status == .ok)
    #expect(response.body == Array("two words".utf8))
  }

  @Test func `a HEAD is answered as a GET`() throws {
    #expect(try answer(.head, "/v2/models/a").status == .ok)
  }

  @Test func `another method is told which there are`() throws {
    let response = try answer(.put, "/v2/models/a")
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers["allow"] == "GET, HEAD")
  }

  @Test(arguments: ["/", "/v2", "/v2/models/a/b", "/V2/models/a"])
  func `there is nothing elsewhere`(target: String) throws {
    #expect(try answer(.get, target).status == .notFound)
  }
}

@Suite struct RequestTargetTests {
  @Test func `a target is words and a query`() throws {
    let target = try #require(RequestTarget("/a%2Db/c?top=3&above=0.5&name=a+b%26&flag&top=4"))
    #expect(target.pathSegments == ["a-b", "c"])
    #expect(target["top"] == "4")
    #expect(target["above"] == "0.5")
    #expect(target["name"] == "a b&")
    #expect(target["flag"] == "")
    #expect(target["none"] == nil)
  }

  @Test(arguments: [
    "", "a", "*", "http://x/a", "//a", "/a//b", "/a/", "/./a", "/../a", "/%2e%2e/a", "/a%2Fb",
    "/a%00b", "/a%0ab", "/a%zz", "/a%4", "/a b", "/a#b", "/a\\b", "/%ff", "/é",
  ])
  func `a target that is ambiguous is none`(target: String) {
    #expect(RequestTarget(target) == nil)
  }
}
