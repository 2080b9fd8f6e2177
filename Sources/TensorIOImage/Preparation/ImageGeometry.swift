/// The correspondence between the pixels of a model's input and those of the image it was made
/// from.
///
/// Coordinates are continuous: the upper left corner of the upper left pixel is (0, 0) and its
/// center (0.5, 0.5). Image coordinates refer to the *upright* image at the resolution of its file,
/// even if it was decoded at a lower resolution.
public struct ImageGeometry: Sendable, Hashable {
  /// The width of the upright image.
  public let imageWidth: Int
  /// The height of the upright image.
  public let imageHeight: Int
  /// The width of the model's input.
  public let modelWidth: Int
  /// The height of the model's input.
  public let modelHeight: Int
  /// The map from the upright image to the model's input.
  public let imageToModel: AffineMap
  /// The map from the model's input to the upright image.
  public let modelToImage: AffineMap

  init(_ image: ImageBuffer, _ fit: FitGeometry, _ preparation: ImagePreparation) {
    let swaps = image.orientation.swapsDimensions
    self.init(
      imageWidth: swaps ? image.originalHeight : image.originalWidth,
      imageHeight: swaps ? image.originalWidth : image.originalHeight,
      reduction: swaps ? (x: image.reduction.y, y: image.reduction.x) : image.reduction, fit,
      preparation)
  }

  /// Creates the geometry of an upright image that was decoded at a lower resolution.
  init(
    imageWidth: Int, imageHeight: Int, reduction: (x: Double, y: Double) = (1, 1),
    _ fit: FitGeometry, _ preparation: ImagePreparation
  ) {
    (self.imageWidth, self.imageHeight) = (imageWidth, imageHeight)
    (modelWidth, modelHeight) = (preparation.width, preparation.height)
    let (region, content) = (fit.sourceRegion, fit.targetRegion)
    // The number of file pixels per model pixel.
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

  /// Creates the geometry of an image that is used as the model's input without changes.
  public init(identityWidth width: Int, height: Int) {
    (imageWidth, imageHeight) = (width, height)
    (modelWidth, modelHeight) = (width, height)
    (imageToModel, modelToImage) = (.identity, .identity)
  }
}

/// The region of an upright image that is used, and the region of the frame that it fills.
struct FitGeometry: Hashable {
  /// A rectangle with fractional coordinates.
  struct Region: Hashable {
    var x, y, width, height: Double
  }

  /// The region of the image that is used.
  let sourceRegion: Region
  /// The region of the frame that it fills.
  let targetRegion: PixelRegion

  /// Creates the geometry; `nil` if the image or the frame is empty or has a side that is too long.
  init?(_ preparation: ImagePreparation, imageWidth: Int, imageHeight: Int) {
    let (width, height) = (preparation.width, preparation.height)
    let sides = [width, height, imageWidth, imageHeight]
    // Products of two such sides cannot overflow. JPEG sides can be up to 65,535 pixels long.
    guard sides.allSatisfy({ $0 > 0 && $0 <= Int(UInt16.max) }) else { return nil }
    let whole = Region(x: 0, y: 0, width: Double(imageWidth), height: Double(imageHeight))
    let frame = PixelRegion(x: 0, y: 0, width: width, height: height)
    switch preparation.fit {
    case .stretch: (sourceRegion, targetRegion) = (whole, frame)
    case .crop: (sourceRegion, targetRegion) = (Self.centerCrop(of: whole, matching: frame), frame)
    case .letterbox:
      sourceRegion = whole
      targetRegion = Self.letterbox(frame, preparation.fitAnchor, imageWidth, imageHeight)
    }
  }

  private static func centerCrop(of whole: Region, matching frame: PixelRegion) -> Region {
    let (width, height) = (Double(frame.width), Double(frame.height))
    if whole.width * height > whole.height * width {
      let croppedWidth = whole.height * width / height
      return Region(
        x: (whole.width - croppedWidth) / 2, y: 0, width: croppedWidth, height: whole.height)
    }
    let croppedHeight = whole.width * height / width
    return Region(
      x: 0, y: (whole.height - croppedHeight) / 2, width: whole.width, height: croppedHeight)
  }

  private static func letterbox(
    _ frame: PixelRegion, _ anchor: ImageFitAnchor, _ imageWidth: Int, _ imageHeight: Int
  ) -> PixelRegion {
    var content = frame
    if imageWidth * frame.height > imageHeight * frame.width {
      content.height = max(1, rounded(imageHeight * frame.width, over: imageWidth))
    } else {
      content.width = max(1, rounded(imageWidth * frame.height, over: imageHeight))
    }
    guard anchor == .center else { return content }
    content.x = (frame.width - content.width) / 2
    content.y = (frame.height - content.height) / 2
    return content
  }

  /// Returns a quotient rounded half up.
  private static func rounded(_ dividend: Int, over divisor: Int) -> Int {
    (2 * dividend + divisor) / (2 * divisor)
  }
}
