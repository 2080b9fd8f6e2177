/// What a picture is wanted for, which decides how much of it is decoded.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size for less work; ``detail``
/// says how small it may become.
public struct DecodingOptions: Sendable, Hashable {
  /// What the picture will be prepared as; `nil` for all its pixels.
  public var preparation: ImagePreparation?
  /// The orientation that the picture has, whatever its file says.
  public var orientation: ImageOrientation?
  /// How many more pixels are decoded than the preparation needs.
  public var detail = ImageDetail.ample

  /// All pixels of a picture, as long as nothing is said of what it is for.
  public init(orientation: ImageOrientation? = nil, detail: ImageDetail = .ample) {
    self.orientation = orientation
    self.detail = detail
  }

  /// As many pixels as a preparation needs.
  public init(
    for preparation: ImagePreparation, orientation: ImageOrientation? = nil,
    detail: ImageDetail = .ample
  ) {
    self.preparation = preparation
    self.orientation = orientation
    self.detail = detail
  }

  /// As many pixels as a picture of the given size, upright, needs.
  public init(
    smallestWidth: Int, smallestHeight: Int, fit: ImageFit = .stretch,
    orientation: ImageOrientation? = nil
  ) {
    preparation = ImagePreparation(width: smallestWidth, height: smallestHeight, fit: fit)
    self.orientation = orientation
  }

  /// How far below its full size a stored picture may be decoded: 1, 2, 4 or 8.
  func reduction(width: Int, height: Int, orientation: ImageOrientation) -> Int {
    // "Nearest" asks for pixels that are really there.
    guard let preparation, preparation.filter != .nearest, let margin = detail.margin else {
      return 1
    }
    let (width, height) = orientation.swapsSides ? (height, width) : (width, height)
    guard let placement = Placement(preparation, pictureWidth: width, pictureHeight: height) else {
      return 1
    }
    return [8, 4, 2].first { divisor in
      let margin = Double(margin * divisor)
      return placement.region.width >= margin * Double(placement.content.width)
        && placement.region.height >= margin * Double(placement.content.height)
    } ?? 1
  }
}
