/// The purpose of decoding, which determines the resolution at which an image is decoded.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size, which takes less time.
/// ``decodeScale`` limits how far the resolution may be reduced.
public struct DecodingOptions: Sendable, Hashable {
  /// The preparation that the image is decoded for; `nil` to decode at full resolution.
  public var preparation: ImagePreparation?
  /// An orientation that overrides the file's.
  public var orientation: ImageOrientation?
  /// The resolution to keep, relative to what the preparation needs.
  public var decodeScale = DecodeScale.double

  /// Creates options that decode at full resolution.
  public init(orientation: ImageOrientation? = nil, decodeScale: DecodeScale = .double) {
    self.orientation = orientation
    self.decodeScale = decodeScale
  }

  /// Creates options that decode at the resolution that a preparation needs.
  public init(
    for preparation: ImagePreparation, orientation: ImageOrientation? = nil,
    decodeScale: DecodeScale = .double
  ) {
    self.preparation = preparation
    self.orientation = orientation
    self.decodeScale = decodeScale
  }

  /// Creates options that decode at the resolution that an upright image of the given size needs.
  public init(
    minWidth: Int, minHeight: Int, fit: ImageFit = .stretch,
    orientation: ImageOrientation? = nil
  ) {
    preparation = ImagePreparation(width: minWidth, height: minHeight, fit: fit)
    self.orientation = orientation
  }

  /// Returns the divisor for the stored size: 1, 2, 4 or 8.
  func scaleDenominator(width: Int, height: Int, orientation: ImageOrientation) -> Int {
    // Nearest-neighbor sampling must return pixels of the original image, and asymmetric sampling
    // those of other software.
    guard let preparation, preparation.filter != .nearest,
      preparation.filter != .linearAsymmetric, let margin = decodeScale.minFactor
    else {
      return 1
    }
    let (width, height) = orientation.swapsDimensions ? (height, width) : (width, height)
    guard let geometry = FitGeometry(preparation, imageWidth: width, imageHeight: height) else {
      return 1
    }
    return [8, 4, 2].first { divisor in
      let margin = Double(margin * divisor)
      return geometry.sourceRegion.width >= margin * Double(geometry.targetRegion.width)
        && geometry.sourceRegion.height >= margin * Double(geometry.targetRegion.height)
    } ?? 1
  }
}

/// The resolution at which a large image is decoded, for formats that support reduced sizes.
///
/// A JPEG can be decoded at a half, a quarter or an eighth of its size.
public enum DecodeScale: String, Sendable, Hashable, CaseIterable {
  /// The full resolution of the file.
  case full
  /// At least twice the required width and height, which preserves the quality of filtering.
  case double = "2x"
  /// At least the required width and height: the fastest, with a small loss of accuracy.
  case single = "1x"

  /// The minimum ratio of the decoded size to the required size; `nil` for full resolution.
  var minFactor: Int? {
    switch self {
    case .full: nil
    case .double: 2
    case .single: 1
    }
  }
}
