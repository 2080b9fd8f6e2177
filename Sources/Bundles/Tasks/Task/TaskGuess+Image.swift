package import TensorIOBundle
package import TensorIOImage

extension TaskGuess {
  /// How the models of a family expect their images.
  package struct ImagePreparation: Sendable {
    /// The fit of images with another aspect ratio.
    package var fit: ImageFit
    /// The position of the image in a letterbox.
    package var anchor = ImageFitAnchor.center
    /// The resampling filter.
    package var filter: ImageFilter
    /// The padding color of a letterbox.
    package var pad = PixelColor.black
    /// The order of the channels; `nil` if the family does not determine it.
    package var format: PixelFormat?
    /// The conversion of pixels to numbers; `nil` for numbers from 0 to 255.
    package var normalize: Normalization?

    /// Returns a layer with the preparation.
    package func applied(to layer: ImageLayer) -> ImageLayer {
      var layer = layer
      (layer.fit, layer.fitAnchor, layer.filter, layer.pad) = (fit, anchor, filter, pad)
      layer.format = layer.format == .gray ? .gray : format ?? layer.format
      layer.normalize = normalize
      return layer
    }
  }
}
