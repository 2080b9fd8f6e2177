extension ImagePreparation {
  /// Decodes an image file in memory for this preparation.
  ///
  /// A large PNG is resampled while it is decoded. The result is then meant for this preparation
  /// only, which returns the same rows as for the whole image.
  package func decode(
    _ bytes: [UInt8], as format: PixelFormat, _ options: DecodingOptions
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(fileBytes: bytes.count)
    guard sides == nil, ImageFileFormat(beginningOf: bytes) == .png,
      let stream = StreamedPNG(try PNGStructure(bytes), orientation: options.orientation)
    else { return try ImageBuffer(decoding: bytes, options) }
    return try stream.fittedContent(for: self, isGray: format == .gray)
  }
}

extension ImageBuffer {
  /// Returns the options for decoding an image, upright, with sides of at most `maxSide` pixels;
  /// `nil` if it is not larger.
  fileprivate static func reduction(
    of header: ImageHeader, maxSide: Int, orientation: ImageOrientation?
  ) -> DecodingOptions? {
    let swaps = (orientation ?? header.orientation).swapsDimensions
    let (width, height) =
      swaps ? (header.height, header.width) : (header.width, header.height)
    let factor = Double(maxSide) / Double(max(width, height))
    guard factor < 1 else { return nil }
    let preparation = ImagePreparation(
      width: max(1, Int((Double(width) * factor).rounded())),
      height: max(1, Int((Double(height) * factor).rounded())), fit: .stretch, filter: .bilinear)
    return DecodingOptions(for: preparation, orientation: orientation, decodeScale: .single)
  }

  /// Decodes an image file in memory; a larger image is reduced to sides of at most `maxSide`
  /// pixels, and upright.
  package init(
    decoding bytes: [UInt8], maxSide: Int, orientation: ImageOrientation? = nil
  ) throws(ImageError) {
    let header = try ImageHeader(of: bytes)
    try ImageLimits.validate(width: header.width, height: header.height)
    guard
      let options = Self.reduction(of: header, maxSide: maxSide, orientation: orientation),
      let preparation = options.preparation
    else {
      try self.init(decoding: bytes, DecodingOptions(orientation: orientation))
      return
    }
    let decoded = try preparation.decode(bytes, as: .rgb, options)
    let rows = try preparation.rows(of: decoded)
    let image = rows.image(as: decoded.format)
    self.init(
      unchecked: image.storage, width: image.width, height: image.height, format: image.format,
      bytesPerRow: image.bytesPerRow, orientation: .up,
      reduction: (
        Double(rows.geometry.imageWidth) / Double(image.width),
        Double(rows.geometry.imageHeight) / Double(image.height)
      ))
  }
}

extension ImageDecodingCost {
  /// Reads the cost of decoding an image file in memory with sides of at most `maxSide` pixels.
  package init(of bytes: [UInt8], maxSide: Int, orientation: ImageOrientation? = nil) {
    guard let header = try? ImageHeader(of: bytes), header.width > 0, header.height > 0 else {
      self = .none
      return
    }
    let options = ImageBuffer.reduction(
      of: header, maxSide: maxSide, orientation: orientation)
    self.init(of: bytes, options ?? DecodingOptions(orientation: orientation))
  }
}
