import Foundation
import TensorIOServer
import TensorIOStudio
import TensorIOTestSupport
import Testing

@Suite struct StudioAssetsTests {
  private func get(
    _ path: String, _ assets: StudioAssets = StudioAssets()
  ) throws -> HTTPResponse {
    Router(assets.routes).respond(to: HTTPRequest(.get, try #require(RequestTarget(path))))
  }

  @Test(arguments: [
    ("/", "text/html; charset=utf-8"), ("/studio/index.html", "text/html; charset=utf-8"),
    ("/studio/studio.css", "text/css; charset=utf-8"),
    ("/studio/charts.css", "text/css; charset=utf-8"),
    ("/studio/main.js", "text/javascript; charset=utf-8"),
  ])
  func `Files of the page have their media types`(_ path: String, _ type: String) throws {
    let response = try get(path)
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == type)
    #expect(response.headers["Cache-Control"] == "no-cache")
    #expect(!response.body.isEmpty)
  }

  @Test func `The embedded page is the file in the sources`() throws {
    let path = ProjectFiles.path("Sources/Serving/CStudioPage/Page/index.html")
    #expect(try get("/").body == Array(Data(contentsOf: URL(filePath: path))))
  }

  @Test func `The security headers permit only the page's own resources`() throws {
    let headers = try get("/").headers
    let policy = try #require(headers["Content-Security-Policy"])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    #expect(headers["X-Content-Type-Options"] == "nosniff")
    #expect(headers["Referrer-Policy"] == "no-referrer")
  }

  @Test func `The page has no inline scripts or styles`() throws {
    let page = String(decoding: try get("/").body, as: UTF8.self)
    #expect(!page.contains("<style"))
    #expect(!page.contains(" style="))
    #expect(!page.contains("<script>"))
  }

  @Test(arguments: ["/studio/nothing.js", "/studio/CStudioPage.c", "/studio"])
  func `Other files are not found`(_ path: String) throws {
    let response = try get(path)
    #expect(response.status == .notFound)
    guard path != "/studio" else { return }
    #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    #expect(response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
  }

  @Test func `A directory replaces the embedded files`() throws {
    let folder = try TemporaryFolder()
    #expect(StudioAssets(directory: folder.path) == nil)
    try folder.write("first", to: "index.html")
    try folder.write("secret", to: ".hidden.js")
    try folder.write("nested", to: "lib/nested.js")
    let assets = try #require(StudioAssets(directory: folder.path))
    #expect(try get("/", assets).text == "first")
    try folder.write("second", to: "index.html")
    let page = try get("/", assets)
    #expect(page.text == "second", "files are read for every request")
    #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
    #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    for path in ["/studio/main.js", "/studio/.hidden.js", "/studio/lib"] {
      #expect(try get(path, assets).status == .notFound, "\(path)")
    }
  }
}
