package import TensorIOServer

/// The page and its files.
package enum StudioAssets {
  /// The files by their names, as the browser asks for them.
  private static let files = Dictionary(
    uniqueKeysWithValues: EmbeddedFiles.all.map { ($0.name, $0.bytes) })

  /// The page itself.
  private static let page = "index.html"

  /// Who answers for them.
  package static var routes: [Route] {
    [
      Route(.get, "/", .immediate) { _ in answer(page) },
      Route(.get, "/studio/:file", .immediate) { answer($0.parameters["file"] ?? "") },
    ]
  }

  private static func answer(_ name: String) -> HTTPResponse {
    guard let bytes = files[name] else {
      return .failure(.notFound, "not-found", "there is nothing at this address")
    }
    return BrowserGuard.guarded(
      HTTPResponse(type: FileType(fileName: name).name, body: bytes))
  }
}
