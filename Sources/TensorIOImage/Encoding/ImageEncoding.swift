/// The formats in which pictures are written.
public enum ImageEncoding: Sendable, Hashable {
  /// Lossless.
  case png
  /// Lossy, with a quality from 1 to 100.
  case jpeg(quality: Int = 90)

  /// The format that a file's name asks for by its ending, or `nil`.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    switch path[path.index(after: dot)...].lowercased() {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg()
    default: return nil
    }
  }
}
