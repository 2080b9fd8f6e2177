/// What is refused before anything is read or allocated.
public enum ImageLimits {
  /// The longest side of a picture, in pixels.
  public static let maxSide = 16_384
  /// The largest area of a picture, in pixels.
  public static let maxArea = 64 << 20
  /// The largest file, in bytes.
  public static let maxFileBytes = 32 << 20
  /// The most scans of a JPEG: each costs as much time as a whole picture.
  public static let maxScans = 100
  /// The most chunks of a PNG.
  public static let maxChunks = 10_000

  /// Refuses a picture that is empty or too large.
  package static func validate(width: Int, height: Int) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    // With both sides within their limit the product cannot overflow.
    guard width <= maxSide, height <= maxSide, width * height <= maxArea else {
      throw ImageError(.tooLarge(width: width, height: height))
    }
  }

  /// Refuses a file with too many bytes.
  static func validate(fileBytes count: Int) throws(ImageError) {
    guard count <= maxFileBytes else {
      throw ImageError(.oversizedFile(bytes: count, limit: maxFileBytes))
    }
  }
}
