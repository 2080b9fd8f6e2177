extension ImageBuffer {
  /// A picture from a file: JPEG, PNG, WebP, BMP or PPM, whatever its name ends in.
  ///
  /// Gray pictures become ``PixelFormat/gray``, all others ``PixelFormat/rgb``; alpha is dropped.
  /// A file that is too large, damaged or cut off is refused.
  public init(
    contentsOf path: String, decoding options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    do throws(ImageError) {
      try self.init(decoding: PictureFile.contents(of: path), options)
    } catch {
      throw error.in(file: path)
    }
  }

  /// A picture from the bytes of its file.
  public init(
    decoding bytes: [UInt8], _ options: DecodingOptions = DecodingOptions()
  ) throws(ImageError) {
    try ImageLimits.check(fileBytes: bytes.count)
    switch ImageFileFormat(beginningOf: bytes) {
    case .jpeg: self = try JPEGCodec.decode(bytes, options)
    case .png: self = try PNGCodec.decode(bytes)
    case .bmp: self = try BMPDecoder.decode(bytes)
    case .webp: self = try WebPCodec.decode(bytes)
    case .ppm: self = try PortableDecoder.decode(bytes)
    case nil: throw ImageError(bytes.isEmpty ? .truncated : .unknownFormat)
    }
    if let orientation = options.orientation { self.orientation = orientation }
  }
}

extension ImageError {
  /// The same error, told of the file it concerns.
  func `in`(file path: String) -> ImageError {
    ImageError(reason, file: file ?? path)
  }
}
