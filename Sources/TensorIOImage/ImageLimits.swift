/// What is refused before anything is read or allocated.
public enum ImageLimits {
  /// The longest side of a picture, in pixels.
  public static let side = 16_384
  /// The largest area of a picture, in pixels.
  public static let area = 64 << 20
  /// The largest file, in bytes.
  public static let fileBytes = 32 << 20
  /// The most scans of a JPEG: each costs as much time as a whole picture.
  public static let scans = 100
  /// The most chunks of a PNG.
  public static let chunks = 10_000

  /// Refuses a picture that is empty or too large.
  package static func check(width: Int, height: Int) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(.impossibleSize(width: width, height: height))
    }
    // With both sides within their limit the product cannot overflow.
    guard width <= side, height <= side, width * height <= area else {
      throw ImageError(.tooLarge(width: width, height: height))
    }
  }

  /// Refuses a file with too many bytes.
  static func check(fileBytes count: Int) throws(ImageError) {
    guard count <= fileBytes else {
      throw ImageError(.oversizedFile(bytes: count, limit: fileBytes))
    }
  }
}
