package import TensorIOBundle
package import TensorIOCore
package import TensorIOImage

extension ModelInput {
  /// Returns the first image among the inputs at full resolution, which may be higher than the
  /// resolution decoded for the model.
  ///
  /// An encoded image is reduced to sides of at most `maxSide` pixels, if given.
  package func firstImage(
    of layers: [Layer], orientation: ImageOrientation? = nil, maxSide: Int? = nil
  ) -> ImageBuffer? {
    switch firstImageValue(of: layers) {
    case .image(let image): return image
    case .bytes(let bytes):
      guard let maxSide else {
        return try? ImageBuffer(decoding: bytes, DecodingOptions(orientation: orientation))
      }
      return try? ImageBuffer(decoding: bytes, maxSide: maxSide, orientation: orientation)
    default: return nil
    }
  }

  /// Returns the cost of decoding the first image among the inputs with sides of at most `maxSide`
  /// pixels.
  package func firstImageCost(of layers: [Layer], maxSide: Int) -> ImageDecodingCost {
    guard case .bytes(let bytes) = firstImageValue(of: layers) else { return .none }
    return ImageDecodingCost(of: bytes, maxSide: maxSide)
  }

  /// Returns the value of the first image input.
  private func firstImageValue(of layers: [Layer]) -> LayerValue? {
    guard let index = layers.firstIndex(where: \.isImage) else { return nil }
    switch self {
    case .named(let values): return values[layers[index].name]
    case .value(.list(let values)) where layers.count > 1:
      return index < values.count ? values[index] : nil
    case .value(let value): return layers.count == 1 ? value : nil
    }
  }
}
