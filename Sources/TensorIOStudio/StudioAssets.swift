import TensorIOImage
package import TensorIOServer

/// The page and its files.
package enum StudioAssets {
  /// The files by their names, as the browser asks for them.
  private static let files = Dictionary(
    uniqueKeysWithValues: EmbeddedFiles.all.map { ($0.name, $0.bytes) })

  /// The page itself.
  private static let indexName = "index.html"

  /// Who answers for them.
  package static var routes: [Route] {
    [
      Route(.get, "/", .inline) { _ in response(for: indexName) },
      Route(.get, "/studio/:file", .inline) { response(for: $0.pathParameters["file"] ?? "") },
    ]
  }

  private static func response(for name: String) -> HTTPResponse {
    guard let bytes = files[name] else {
      return .error(.notFound, "not-found", "there is nothing at this address")
    }
    return SecurityHeaders.apply(
      to: HTTPResponse(type: ContentType(fileName: name).value, body: bytes))
  }
}

/// What a file holds, as browsers are told.
struct ContentType: Sendable, Hashable {
  /// Such as `image/png`.
  let value: String

  private init(_ name: String) { self.value = name }

  /// The type that the ending of a name stands for; what is not known is nothing but bytes.
  init(fileName: String) {
    value = Self.valuesByExtension[Self.pathExtension(of: fileName)] ?? "application/octet-stream"
  }

  /// The type of a picture.
  init(_ format: ImageFileFormat) {
    switch format {
    case .jpeg: self.init("image/jpeg")
    case .png: self.init("image/png")
    case .bmp: self.init("image/bmp")
    case .webp: self.init("image/webp")
    case .ppm: self.init("image/x-portable-anymap")
    }
  }

  /// Whether a file of this name holds data that browsers show, and nothing that they would run.
  static func isPassive(_ fileName: String) -> Bool {
    let ending = pathExtension(of: fileName)
    return valuesByExtension[ending] != nil && !activeExtensions.contains(ending)
  }

  /// What stands behind the last dot of a name, in small letters.
  static func pathExtension(of fileName: String) -> String {
    let parts = fileName.split(separator: ".")
    return parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
  }

  /// The endings of what may have scripts in it, or styles for what has.
  private static let activeExtensions: Set = ["html", "css", "js", "svg"]

  private static let valuesByExtension = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "json": "application/json",
    "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "bmp": "image/bmp",
    "ppm": "image/x-portable-anymap", "pgm": "image/x-portable-anymap",
  ]
}
