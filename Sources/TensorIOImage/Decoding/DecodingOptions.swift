/// What a picture is wanted for, which decides how much of it is decoded.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size for less work. That is
/// done only where the picture stays at least twice as large as what is needed, so that a filter
/// has still something to do.
public struct DecodingOptions: Sendable, Hashable {
  /// What the picture will be prepared as; `nil` for all its pixels.
  public var preparation: ImagePreparation?
  /// The orientation that the picture has, whatever its file says.
  public var orientation: ImageOrientation?

  /// All pixels of a picture.
  public init(orientation: ImageOrientation? = nil) {
    self.orientation = orientation
  }

  /// As many pixels as a preparation needs.
  public init(for preparation: ImagePreparation, orientation: ImageOrientation? = nil) {
    self.preparation = preparation
    self.orientation = orientation
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
    guard let preparation, preparation.filter != .nearest else { return 1 }
    let (width, height) = orientation.swapsSides ? (height, width) : (width, height)
    guard let placement = Placement(preparation, pictureWidth: width, pictureHeight: height) else {
      return 1
    }
    return [8, 4, 2].first { divisor in
      let margin = Double(2 * divisor)
      return placement.region.width >= margin * Double(placement.content.width)
        && placement.region.height >= margin * Double(placement.content.height)
    } ?? 1
  }
}
