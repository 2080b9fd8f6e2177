internal import TensorIOImage

/// What a file holds, as browsers are told.
struct FileType: Sendable, Hashable {
  /// Such as `image/png`.
  let name: String

  private init(_ name: String) { self.name = name }

  /// The type that the ending of a name stands for; what is not known is nothing but bytes.
  init(fileName: String) {
    name = Self.names[Self.ending(of: fileName)] ?? "application/octet-stream"
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
  static func isInert(_ fileName: String) -> Bool {
    let ending = ending(of: fileName)
    return names[ending] != nil && !active.contains(ending)
  }

  /// What stands behind the last dot of a name, in small letters.
  static func ending(of fileName: String) -> String {
    let parts = fileName.split(separator: ".")
    return parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
  }

  /// The endings of what may have scripts in it, or styles for what has.
  private static let active: Set = ["html", "css", "js", "svg"]

  private static let names = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "json": "application/json",
    "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "bmp": "image/bmp",
    "ppm": "image/x-portable-anymap", "pgm": "image/x-portable-anymap",
  ]
}
