/// The size of an image and the memory for decoding it, read from its header.
///
/// A server that shares its memory between requests reserves the memory before it decodes.
package struct ImageDecodingCost: Sendable, Hashable {
  /// The area of the stored image, in pixels.
  package var pixels = 0
  /// The width of the stored image.
  package var width = 0
  /// The height of the stored image.
  package var height = 0
  /// The maximum memory in use while the image is decoded and prepared, in bytes.
  package var bytes = 0

  /// The cost of an input without an image.
  package static let none = ImageDecodingCost()

  private init() {}

  /// Reads the cost of decoding an image file in memory for the preparation of the options, or at
  /// full resolution if they have none.
  ///
  /// The cost of a file that cannot be decoded is ``none``.
  package init(of bytes: [UInt8], _ options: DecodingOptions = DecodingOptions()) {
    guard let header = try? ImageHeader(of: bytes),
      (try? ImageLimits.validate(width: header.width, height: header.height)) != nil
    else { return }
    (width, height) = (header.width, header.height)
    pixels = width * height
    self.bytes = Self.byteCount(header, bytes, options)
    if let preparation = options.preparation {
      self.bytes += preparation.width * preparation.height * PixelFormat.rgba.bytesPerPixel
    }
  }

  private static func byteCount(
    _ header: ImageHeader, _ bytes: [UInt8], _ options: DecodingOptions
  ) -> Int {
    let area = header.width * header.height
    switch header.fileFormat {
    case .jpeg:
      let divisor = options.scaleDenominator(
        width: header.width, height: header.height,
        orientation: options.orientation ?? header.orientation)
      let structure = try? JPEGStructure(bytes)
      return structure?.byteCount(
        scaleDenominator: divisor, scans: JPEGStructure.scanCount(of: bytes)) ?? 0
    case .png:
      guard let png = try? PNGStructure(bytes) else { return 0 }
      if let preparation = options.preparation,
        let stream = StreamedPNG(png, orientation: options.orientation)
      {
        return stream.byteCount(for: preparation)
      }
      let channels = png.hasAlpha ? 7 : png.isGray ? 1 : 3
      return area * channels + bytes.count
    // For a lossless image, libwebp allocates four bytes per pixel in addition to the result.
    case .webp: return area * 7
    case .bmp, .ppm: return area * 3
    }
  }
}

extension ImageDecodingCost {
  /// Returns the cost of holding two images at the same time.
  ///
  /// The size is that of the larger image.
  package static func + (left: ImageDecodingCost, right: ImageDecodingCost) -> ImageDecodingCost {
    var sum = left.pixels >= right.pixels ? left : right
    sum.pixels = left.pixels + right.pixels
    sum.bytes = left.bytes + right.bytes
    return sum
  }
}
