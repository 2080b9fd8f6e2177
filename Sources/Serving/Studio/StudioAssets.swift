import TensorIODrawing
import TensorIOImage
package import TensorIOServer
import TensorIOSystem

/// The files of the studio's page.
package struct StudioAssets: Sendable {
  /// The embedded files, by name.
  private static let embeddedFiles = Dictionary(
    uniqueKeysWithValues: EmbeddedFiles.all.map { ($0.name, $0.bytes) })

  private static let indexName = "index.html"
  /// The style sheets of charts, which are drawn by the server, and of images that can be enlarged, as in reports.
  private static let sharedRules: [String: StaticString] = [
    "charts.css": SVGChartRenderer.rules, "enlarge.css": EnlargeableImage.rules,
  ]

  private let directory: String?

  /// The files that are embedded in the program.
  package init() { directory = nil }

  /// The files in `directory`, which are read for every request; `nil` if it has no `index.html`.
  ///
  /// For work on the page: changes take effect when the browser reloads it.
  package init?(directory: String) {
    guard FileKind(at: "\(directory)/\(Self.indexName)") == .file else { return nil }
    self.directory = directory
  }

  /// The routes of the page.
  package var routes: [Route] {
    let execution: Route.Execution = directory == nil ? .inline : .queued
    return [
      Route(.get, "/", execution) { _ in response(for: Self.indexName) },
      Route(.get, "/studio/:file", execution) { response(for: $0.pathParameters["file"] ?? "") },
    ]
  }

  private func response(for name: String) -> HTTPResponse {
    guard let bytes = bytes(of: name) else {
      return SecurityHeaders.apply(
        to: .error(.notFound, "not-found", "no resource at this path"))
    }
    return SecurityHeaders.apply(
      to: HTTPResponse(type: ContentType(fileName: name).value, body: bytes))
  }

  private func bytes(of name: String) -> [UInt8]? {
    if let rules = Self.sharedRules[name] { return Array("\(rules)".utf8) }
    guard let directory else { return Self.embeddedFiles[name] }
    let path = "\(directory)/\(name)"
    guard !name.hasPrefix("."), FileKind(at: path) == .file else { return nil }
    return try? FileBytes.contents(of: path, limit: Self.maxFileBytes)
  }

  /// The maximum size of a file in a directory, in bytes.
  private static let maxFileBytes = 16 << 20
}

/// The media type of a file.
struct ContentType: Sendable, Hashable {
  /// The value of `Content-Type`, such as `image/png`.
  let value: String

  private init(_ value: String) { self.value = value }

  /// The type for a file name's extension; `application/octet-stream` if it is unknown.
  init(fileName: String) {
    value = Self.valuesByExtension[Self.pathExtension(of: fileName)] ?? "application/octet-stream"
  }

  /// The type of an image format.
  init(_ format: ImageFileFormat) {
    switch format {
    case .jpeg: self.init("image/jpeg")
    case .png: self.init("image/png")
    case .bmp: self.init("image/bmp")
    case .webp: self.init("image/webp")
    case .ppm: self.init("image/x-portable-anymap")
    }
  }

  /// Whether a file of this name has a known type that browsers display without executing it.
  static func isPassive(_ fileName: String) -> Bool {
    let pathExtension = pathExtension(of: fileName)
    return valuesByExtension[pathExtension] != nil && !activeExtensions.contains(pathExtension)
  }

  /// Returns the part of a name after the last dot, in lowercase.
  static func pathExtension(of fileName: String) -> String {
    let parts = fileName.split(separator: ".")
    return parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
  }

  /// The extensions of files that may contain scripts or styles.
  private static let activeExtensions: Set = ["html", "css", "js", "svg"]

  private static let valuesByExtension = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "json": "application/json",
    "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "bmp": "image/bmp",
    "ppm": "image/x-portable-anymap", "pgm": "image/x-portable-anymap", "wav": "audio/wav",
  ]
}
