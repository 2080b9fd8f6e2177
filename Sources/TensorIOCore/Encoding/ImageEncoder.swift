internal import TensorIOImage

/// Fits a picture into an image layer and writes its pixels into the tensor.
struct ImageEncoder: Sendable {
  /// The order of the channels in the tensor.
  let format: PixelFormat
  /// How the picture is turned, fitted and resampled.
  let preparation: ImagePreparation
  /// Which way encoded pictures lie, whatever their files say.
  let orientation: ImageOrientation?
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
      do {
        return try writer.write(image, preparedBy: preparation, as: format, into: &memory)
      } catch {
        throw ModelError(.input, .picture(error))
      }
    case .numbers:
      try numbers.encode(value, into: &memory)
      return nil
    case .bytes, .strings, .classification, .list:
      throw mismatch(value.kindName)
    }
  }

  /// How many pictures the tensor holds: more than one where its batch is fixed.
  private var pictureCount: Int {
    let pixels = preparation.width * preparation.height
    return numbers.elementCount / (pixels * format.bytesPerPixel)
  }

  private func mismatch(_ found: String) -> ModelError {
    let expected = pictureCount == 1 ? "a picture" : "the pixels of \(pictureCount) pictures"
    return ModelError(.input, .wrongType(expected: expected, actual: found))
  }
}
