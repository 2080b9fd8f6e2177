/// The preparation and the geometry of an image whose pixels are already fitted and resampled.
///
/// A large image is resampled while it is decoded, so that it never exists in memory. The pixels
/// are those of the frame without its bars.
final class FittedContent: Sendable {
  /// The preparation that the pixels were computed for.
  let preparation: ImagePreparation
  let fit: FitGeometry
  /// The correspondence between the frame and the image in the file.
  let geometry: ImageGeometry

  init(_ preparation: ImagePreparation, _ fit: FitGeometry, _ geometry: ImageGeometry) {
    (self.preparation, self.fit, self.geometry) = (preparation, fit, geometry)
  }
}
