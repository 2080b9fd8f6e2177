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
      do {
        return try writer.write(image, preparedBy: preparation, as: format, into: &memory)
      } catch {
        throw ModelError(.input, .picture(error))
      }
    case .numbers:
      try numbers.encode(value, into: &memory)
      return nil
    case .bytes, .strings, .classification, .list:
      throw ModelError(.input, .wrongType(expected: "a picture", actual: value.kindName))
    }
  }
}
