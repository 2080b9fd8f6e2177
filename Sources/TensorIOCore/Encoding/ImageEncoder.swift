internal import TensorIOImage

/// Fits a picture into an image layer and writes its pixels into the tensor.
struct ImageEncoder: Sendable {
  /// The order of the channels in the tensor.
  let format: PixelFormat
  /// How the picture is turned, fitted and resampled.
  let preparation: ImagePreparation
  /// Which way encoded pictures lie, and how much of them is decoded.
  let decoding: DecodingOptions
  /// How a pixel becomes elements.
  let writer: PixelWriter
  /// For values that are prepared already.
  let numbers: NumberEncoder

  /// Writes a picture, or numbers that are prepared already.
  ///
  /// Returns how the picture was fitted.
  func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry? {
    switch value {
    case .image(let image):
      guard pictureCount == 1 else { throw mismatch("a picture") }
      return try write(image, into: &memory)
    case .list(let pictures) where pictures.count == pictureCount:
      try write(pictures, into: &memory)
    case .numbers:
      try numbers.encode(value, into: &memory)
    case .bytes, .strings, .classification, .list:
      throw mismatch(value.kindName)
    }
    return nil
  }

  /// The picture that encoded bytes hold.
  func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    try ImageBuffer(decoding: bytes, decoding)
  }

  private func write(
    _ image: ImageBuffer, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry {
    do {
      return try writer.write(image, preparedBy: preparation, as: format, into: &memory)
    } catch {
      throw ModelError(.input, .picture(error))
    }
  }

  /// Writes a picture for each place of a fixed batch.
  private func write(
    _ pictures: [LayerValue], into memory: inout MutableRawSpan
  ) throws(ModelError) {
    let length = memory.byteCount / pictures.count
    for (index, value) in pictures.enumerated() {
      guard case .image(let picture) = value else {
        throw mismatch("a list with \(value.kindName)")
      }
      let range = index * length..<(index + 1) * length
      _ = try memory.withPart(range) { (part) throws(ModelError) in
        try write(picture, into: &part)
      }
    }
  }

  /// How many pictures the tensor holds: more than one where its batch is fixed.
  private var pictureCount: Int {
    let pixels = preparation.width * preparation.height
    return numbers.elementCount / (pixels * format.bytesPerPixel)
  }

  private func mismatch(_ found: String) -> ModelError {
    let expected = pictureCount == 1 ? "a picture" : "\(pictureCount) pictures"
    return ModelError(.input, .wrongType(expected: expected, actual: found))
  }
}
