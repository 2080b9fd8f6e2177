/// How the pixels of a model's input correspond to those of the picture that it was made of.
///
/// Coordinates are continuous: the upper left corner of the upper left pixel is (0, 0), its centre
/// (0.5, 0.5). Those of the picture are of the *upright* picture, as a person sees it, in pixels
/// of its file, also where fewer were decoded.
public struct ImageGeometry: Sendable, Hashable {
  /// The width of the upright picture.
  public let pictureWidth: Int
  /// The height of the upright picture.
  public let pictureHeight: Int
  /// The width of the model's input.
  public let modelWidth: Int
  /// The height of the model's input.
  public let modelHeight: Int
  /// From the upright picture to the model's input.
  public let pictureToModel: AffineMap
  /// From the model's input to the upright picture.
  public let modelToPicture: AffineMap

  init(_ image: ImageBuffer, _ placement: Placement, _ preparation: ImagePreparation) {
    let swaps = image.orientation.swapsSides
    pictureWidth = swaps ? image.originalHeight : image.originalWidth
    pictureHeight = swaps ? image.originalWidth : image.originalHeight
    (modelWidth, modelHeight) = (preparation.width, preparation.height)
    let reduction = swaps ? (x: image.reduction.y, y: image.reduction.x) : image.reduction
    let (region, content) = (placement.region, placement.content)
    // How many of the file's pixels one of the model's covers.
    let scaleX = region.width / Double(content.width) * reduction.x
    let scaleY = region.height / Double(content.height) * reduction.y
    let (originX, originY) = (region.x * reduction.x, region.y * reduction.y)
    let (left, top) = (Double(content.x), Double(content.y))
    modelToPicture = AffineMap(
      a: scaleX, b: 0, c: 0, d: scaleY, tx: originX - left * scaleX, ty: originY - top * scaleY)
    pictureToModel = AffineMap(
      a: 1 / scaleX, b: 0, c: 0, d: 1 / scaleY, tx: left - originX / scaleX,
      ty: top - originY / scaleY)
  }

  /// A picture of a size that is the model's input as it is.
  public init(unchangedWidth width: Int, height: Int) {
    (pictureWidth, pictureHeight) = (width, height)
    (modelWidth, modelHeight) = (width, height)
    (pictureToModel, modelToPicture) = (.identity, .identity)
  }
}
