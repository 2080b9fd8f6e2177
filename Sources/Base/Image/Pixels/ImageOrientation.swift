/// The transformation that makes a stored image upright, as one of the eight EXIF values.
///
/// The names describe where the top of the stored image belongs.
///
/// | value | name | transformation |
/// |---|---|---|
/// | 1 | ``up`` | none |
/// | 2 | ``upMirrored`` | mirror horizontally |
/// | 3 | ``down`` | rotate by 180° |
/// | 4 | ``downMirrored`` | mirror vertically |
/// | 5 | ``leftMirrored`` | transpose |
/// | 6 | ``right`` | rotate clockwise by 90° |
/// | 7 | ``rightMirrored`` | transpose along the other diagonal |
/// | 8 | ``left`` | rotate counterclockwise by 90° |
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case up = 1
  case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

  /// Whether the transformation exchanges width and height.
  public var swapsDimensions: Bool { rawValue >= ImageOrientation.leftMirrored.rawValue }

  /// Creates an orientation from its number, `1` to `8`, or its name, such as `up` or
  /// `left-mirrored`.
  public init?(name: String) {
    let named = ImageOrientation.allCases.first { $0.name == name || String($0.rawValue) == name }
    guard let named else { return nil }
    self = named
  }

  /// The name that ``init(name:)`` accepts.
  public var name: String {
    switch self {
    case .up: "up"
    case .upMirrored: "up-mirrored"
    case .down: "down"
    case .downMirrored: "down-mirrored"
    case .leftMirrored: "left-mirrored"
    case .right: "right"
    case .rightMirrored: "right-mirrored"
    case .left: "left"
    }
  }
}

/// Strides that visit stored pixels in upright order.
///
/// Each of the eight orientations is an origin and two strides, in bytes.
struct OrientedPixelStrides {
  /// The number of pixels in an upright row.
  let width: Int
  /// The number of upright rows.
  let height: Int
  /// The number of bytes per pixel.
  let bytesPerPixel: Int
  /// The offset of the upper left pixel from the first stored one.
  let origin: Int
  /// The offset from a pixel to its right neighbor.
  let pixelStride: Int
  /// The offset from a pixel to the one below.
  let rowStride: Int

  init(_ image: ImageBuffer) {
    width = image.uprightWidth
    height = image.uprightHeight
    bytesPerPixel = image.format.bytesPerPixel
    let (pixel, row) = (image.format.bytesPerPixel, image.bytesPerRow)
    let (right, bottom) = ((image.width - 1) * pixel, (image.height - 1) * row)
    (origin, pixelStride, rowStride) =
      switch image.orientation {
      case .up: (0, pixel, row)
      case .upMirrored: (right, -pixel, row)
      case .down: (right + bottom, -pixel, -row)
      case .downMirrored: (bottom, pixel, -row)
      case .leftMirrored: (0, row, pixel)
      case .right: (bottom, -row, pixel)
      case .rightMirrored: (right + bottom, -row, -pixel)
      case .left: (right, row, -pixel)
      }
  }

  /// Whether the pixels of a row are contiguous in memory, so that no copy is needed.
  var isContiguous: Bool { pixelStride == bytesPerPixel }
}
