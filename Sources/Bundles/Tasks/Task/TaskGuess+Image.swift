package import TensorIOBundle
package import TensorIOImage

extension TaskGuess.Evidence {
  /// The lengths of the image's sides in the tensor, of which an open one is `nil`; `nil` if the channels are not first.
  var planarSides: (height: Int?, width: Int?)? {
    guard let lengths = imageTensor?.dimensions, lengths.count == 4, lengths[1] == 3 else {
      return nil
    }
    return (lengths[2], lengths[3])
  }

  /// Whether a word is a part of the file's name, between other characters than letters.
  func isNamed(_ word: String) -> Bool {
    fileStem.lowercased().split { !$0.isLetter }.contains { $0 == word }
  }
}

extension TaskGuess.ImagePreparation {
  /// The preparation of PaddleOCR's models: the colors in reverse order, from -1 to 1.
  static func paddleOCR(
    height: Int = 0, width: Int = 0, _ sides: ImageSides
  ) -> TaskGuess.ImagePreparation {
    var preparation = TaskGuess.ImagePreparation(
      fit: .stretch, filter: .linearFixed, format: .bgr, normalize: .normalizing(to: .minusOneToOne)
    )
    preparation.open = (height, width, sides)
    return preparation
  }
}

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
    /// The height and width if images determine one of them, which is 0, and the rule; `nil` for the sides of the tensor.
    package var open: (height: Int, width: Int, sides: ImageSides)?

    /// Returns a layer with the preparation.
    package func applied(to layer: ImageLayer) -> ImageLayer {
      var layer = layer
      (layer.fit, layer.fitAnchor, layer.filter, layer.pad) = (fit, anchor, filter, pad)
      layer.format = layer.format == .gray ? .gray : format ?? layer.format
      layer.normalize = normalize
      return open.map { layer.opened(height: $0.height, width: $0.width, $0.sides) } ?? layer
    }
  }
}

extension ImageLayer {
  /// Returns the layer with sides that images determine, which are 0.
  package func opened(height: Int = 0, width: Int = 0, _ sides: ImageSides) -> ImageLayer {
    var layer = self
    (layer.height, layer.width, layer.sides) = (height, width, sides)
    let lengths = [height, width].map { $0 == 0 ? nil : $0 }
    let batch = shape.dimensions.dropLast(3)
    let channels: [Int?] = [format == .gray ? 1 : 3]
    layer.shape = TensorShape(
      batch + (layout == .channelsFirst ? channels + lengths : lengths + channels))
    return layer
  }
}
