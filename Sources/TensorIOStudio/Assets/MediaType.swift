/// What a file holds, as browsers are told.
struct MediaType: Sendable, Hashable {
  let rawValue: String

  /// The type that the ending of a name stands for; what is not known is nothing but bytes.
  init(fileName: String) {
    let parts = fileName.split(separator: ".")
    let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
    rawValue = Self.types[ending] ?? "application/octet-stream"
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml", "json": "application/json",
    "txt": "text/plain; charset=utf-8", "csv": "text/csv; charset=utf-8", "png": "image/png",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
  ]
}
