package import TensorIOCore
package import TensorIOImage

extension ModelInput {
  /// The first picture that goes in, whole, since what is decoded for a model may be smaller.
  package func firstImage(
    of layers: [Layer], orientation: ImageOrientation? = nil
  ) -> ImageBuffer? {
    switch firstPicture(of: layers) {
    case .image(let image): image
    case .bytes(let bytes):
      try? ImageBuffer(decoding: bytes, DecodingOptions(orientation: orientation))
    default: nil
    }
  }

  /// The value of the first input that is a picture.
  private func firstPicture(of layers: [Layer]) -> LayerValue? {
    guard let index = layers.firstIndex(where: \.isPicture) else { return nil }
    switch self {
    case .named(let values): return values[layers[index].name]
    case .value(.list(let values)) where layers.count > 1:
      return index < values.count ? values[index] : nil
    case .value(let value): return layers.count == 1 ? value : nil
    }
  }
}
