import Foundation
import TensorIOServer
import TensorIOStudio
import TensorIOTestSupport
import Testing

@Suite struct AssetsTests {
  private let table = Router(StudioAssets.routes)

  private func get(_ path: String) throws -> HTTPResponse {
    table.respond(to: HTTPRequest(.get, try #require(RequestTarget(path))))
  }

  @Test(arguments: [
    ("/", "text/html; charset=utf-8"), ("/studio/index.html", "text/html; charset=utf-8"),
    ("/studio/studio.css", "text/css; charset=utf-8"),
    ("/studio/main.js", "text/javascript; charset=utf-8"),
  ])
  func `the files of the page have their types`(_ path: String, _ type: String) throws {
    let answer = try get(path)
    #expect(answer.status == .ok)
    #expect(answer.headers["Content-Type"] == type)
    #expect(answer.headers["Cache-Control"] == "no-cache")
    #expect(!answer.body.isEmpty)
  }

  @Test func `the page is the file of the sources`() throws {
    let path = ProjectFiles.path("Sources/CStudioPage/Page/index.html")
    #expect(try get("/").body == Array(Data(contentsOf: URL(filePath: path))))
  }

  @Test func `nothing but the page's own is run`() throws {
    let headers = try get("/").headers
    let policy = try #require(headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(headers["X-Content-Type-Options"] == "nosniff")
    #expect(headers["Referrer-Policy"] == "no-referrer")
  }

  @Test func `the page has no script and no style in it`() throws {
    let page = String(decoding: try get("/").body, as: UTF8.self)
    #expect(!page.contains("<style"))
    #expect(!page.contains(" style="))
    #expect(!page.contains("<script>"))
  }

  @Test(arguments: ["/studio/nothing.js", "/studio/CStudioPage.c", "/studio"])
  func `other files are not there`(_ path: String) throws {
    #expect(try get(path).status == .notFound)
  }
}
