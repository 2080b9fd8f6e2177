/// Limits on images, checked before pixels are read or allocated.
package enum ImageLimits {
  /// The maximum width or height of an image, in pixels.
  package static let maxSide = 16_384
  /// The maximum area of an image, in pixels.
  package static let maxArea = 64 << 20
  /// The maximum size of a file, in bytes.
  package static let maxFileBytes = 32 << 20
  /// The maximum number of scans of a JPEG.
  ///
  /// Each takes as long to decode as a whole image.
  package static let maxScans = 100
  /// The maximum number of chunks of a PNG or WebP.
  package static let maxChunks = 10_000

  /// Throws an error if an image is empty or too large.
  package static func validate(width: Int, height: Int) throws(ImageError) {
    guard width > 0, height > 0 else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    // With both sides within their limit the product cannot overflow.
    guard width <= maxSide, height <= maxSide, width * height <= maxArea else {
      throw ImageError(.tooLarge(width: width, height: height))
    }
  }

  /// Throws an error if a file is too large.
  static func validate(fileBytes count: Int) throws(ImageError) {
    guard count <= maxFileBytes else {
      throw ImageError(.oversizedFile(bytes: count, limit: maxFileBytes))
    }
  }
}
