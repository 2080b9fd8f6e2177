/// How the pixels of a model's input correspond to those of the picture that it was made of.
///
/// Coordinates are continuous: the upper left corner of the upper left pixel is (0, 0), its centre
/// (0.5, 0.5). Those of the picture are of the *upright* picture, as a person sees it, in pixels
/// of its file, also where fewer were decoded.
public struct ImageGeometry: Sendable, Hashable {
  /// The width of the upright picture.
  public let imageWidth: Int
  /// The height of the upright picture.
  public let imageHeight: Int
  /// The width of the model's input.
  public let modelWidth: Int
  /// The height of the model's input.
  public let modelHeight: Int
  /// From the upright picture to the model's input.
  public let imageToModel: AffineMap
  /// From the model's input to the upright picture.
  public let modelToImage: AffineMap

  init(_ image: ImageBuffer, _ placement: FitGeometry, _ preparation: ImagePreparation) {
    let swaps = image.orientation.swapsDimensions
    imageWidth = swaps ? image.originalHeight : image.originalWidth
    imageHeight = swaps ? image.originalWidth : image.originalHeight
    (modelWidth, modelHeight) = (preparation.width, preparation.height)
    let reduction = swaps ? (x: image.reduction.y, y: image.reduction.x) : image.reduction
    let (region, content) = (placement.sourceRegion, placement.targetRegion)
    // How many of the file's pixels one of the model's covers.
    let scaleX = region.width / Double(content.width) * reduction.x
    let scaleY = region.height / Double(content.height) * reduction.y
    let (originX, originY) = (region.x * reduction.x, region.y * reduction.y)
    let (left, top) = (Double(content.x), Double(content.y))
    modelToImage = AffineMap(
      a: scaleX, b: 0, c: 0, d: scaleY, tx: originX - left * scaleX, ty: originY - top * scaleY)
    imageToModel = AffineMap(
      a: 1 / scaleX, b: 0, c: 0, d: 1 / scaleY, tx: left - originX / scaleX,
      ty: top - originY / scaleY)
  }

  /// A picture of a size that is the model's input as it is.
  public init(identityWidth width: Int, height: Int) {
    (imageWidth, imageHeight) = (width, height)
    (modelWidth, modelHeight) = (width, height)
    (imageToModel, modelToImage) = (.identity, .identity)
  }
}

/// Which part of an upright picture goes where in the frame.
struct FitGeometry: Hashable {
  /// A rectangle in real coordinates.
  struct Region: Hashable {
    var x, y, width, height: Double
  }

  /// The part of the picture that is seen.
  let sourceRegion: Region
  /// Where in the frame it is seen.
  let targetRegion: PixelRegion

  /// The placement of a picture; `nil` where picture or frame have no area or too long sides.
  init?(_ preparation: ImagePreparation, imageWidth: Int, imageHeight: Int) {
    let (width, height) = (preparation.width, preparation.height)
    let sides = [width, height, imageWidth, imageHeight]
    // Products of two such sides cannot overflow. A JPEG's sides may be as long as 65,535.
    guard sides.allSatisfy({ $0 > 0 && $0 <= Int(UInt16.max) }) else { return nil }
    let whole = Region(x: 0, y: 0, width: Double(imageWidth), height: Double(imageHeight))
    let frame = PixelRegion(x: 0, y: 0, width: width, height: height)
    switch preparation.fit {
    case .stretch: (sourceRegion, targetRegion) = (whole, frame)
    case .crop: (sourceRegion, targetRegion) = (Self.centerCrop(of: whole, matching: frame), frame)
    case .letterbox: (sourceRegion, targetRegion) = (whole, Self.letterbox(frame, imageWidth, imageHeight))
    }
  }

  private static func centerCrop(of whole: Region, matching frame: PixelRegion) -> Region {
    let (width, height) = (Double(frame.width), Double(frame.height))
    if whole.width * height > whole.height * width {
      let kept = whole.height * width / height
      return Region(x: (whole.width - kept) / 2, y: 0, width: kept, height: whole.height)
    }
    let kept = whole.width * height / width
    return Region(x: 0, y: (whole.height - kept) / 2, width: whole.width, height: kept)
  }

  private static func letterbox(
    _ frame: PixelRegion, _ pictureWidth: Int, _ pictureHeight: Int
  ) -> PixelRegion {
    var content = frame
    if pictureWidth * frame.height > pictureHeight * frame.width {
      content.height = max(1, rounded(pictureHeight * frame.width, over: pictureWidth))
    } else {
      content.width = max(1, rounded(pictureWidth * frame.height, over: pictureHeight))
    }
    content.x = (frame.width - content.width) / 2
    content.y = (frame.height - content.height) / 2
    return content
  }

  /// A quotient rounded half up.
  private static func rounded(_ dividend: Int, over divisor: Int) -> Int {
    (2 * dividend + divisor) / (2 * divisor)
  }
}
