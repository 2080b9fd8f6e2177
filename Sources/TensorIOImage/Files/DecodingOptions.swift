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
  public var decodeScale = DecodeScale.double

  /// All pixels of a picture, as long as nothing is said of what it is for.
  public init(orientation: ImageOrientation? = nil, decodeScale: DecodeScale = .double) {
    self.orientation = orientation
    self.decodeScale = decodeScale
  }

  /// As many pixels as a preparation needs.
  public init(
    for preparation: ImagePreparation, orientation: ImageOrientation? = nil,
    decodeScale: DecodeScale = .double
  ) {
    self.preparation = preparation
    self.orientation = orientation
    self.decodeScale = decodeScale
  }

  /// As many pixels as a picture of the given size, upright, needs.
  public init(
    minWidth: Int, minHeight: Int, fit: ImageFit = .stretch,
    orientation: ImageOrientation? = nil
  ) {
    preparation = ImagePreparation(width: minWidth, height: minHeight, fit: fit)
    self.orientation = orientation
  }

  /// How far below its full size a stored picture may be decoded: 1, 2, 4 or 8.
  func scaleDenominator(width: Int, height: Int, orientation: ImageOrientation) -> Int {
    // "Nearest" asks for pixels that are really there.
    guard let preparation, preparation.filter != .nearest, let margin = decodeScale.minFactor else {
      return 1
    }
    let (width, height) = orientation.swapsDimensions ? (height, width) : (width, height)
    guard let placement = FitGeometry(preparation, imageWidth: width, imageHeight: height) else {
      return 1
    }
    return [8, 4, 2].first { divisor in
      let margin = Double(margin * divisor)
      return placement.sourceRegion.width >= margin * Double(placement.targetRegion.width)
        && placement.sourceRegion.height >= margin * Double(placement.targetRegion.height)
    } ?? 1
  }
}

/// How much of a large picture is decoded, where its format lets it be decoded smaller for less work.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size.
public enum DecodeScale: String, Sendable, Hashable, CaseIterable {
  /// Every pixel of the file.
  case full
  /// At least twice the width and height that are needed, so that a filter has something to do.
  case double
  /// At least the width and height that are needed: the least work, and a little less exact.
  case single

  /// How many times as large as needed a picture stays at least; `nil` where it is not reduced.
  var minFactor: Int? {
    switch self {
    case .full: nil
    case .double: 2
    case .single: 1
    }
  }
}
