extension ImageBuffer {
  /// The bytes of the picture's file, upright.
  public func encoded(as encoding: ImageEncoding) throws(ImageError) -> [UInt8] {
    switch encoding {
    case .png: try PNGCodec.encode(upright())
    case .jpeg(let quality): try JPEGCodec.encode(upright(), quality: quality)
    }
  }

  /// Writes the picture, upright, in the format that the ending of the name asks for.
  ///
  /// The file appears complete or not at all; one that is there is replaced.
  public func write(to path: String) throws(ImageError) {
    do throws(ImageError) {
      guard let encoding = ImageEncoding(path: path) else {
        throw ImageError(.unsupported("writing a picture whose name ends in neither .png nor .jpg"))
      }
      try PictureFile.store(encoded(as: encoding), at: path)
    } catch {
      throw error.in(file: path)
    }
  }
}
