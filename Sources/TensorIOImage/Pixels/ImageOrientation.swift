/// What must be done to a stored picture to show it upright: the eight values of EXIF.
///
/// The names say where the top of the stored picture belongs.
///
/// | value | name | to show it |
/// |---|---|---|
/// | 1 | ``up`` | nothing |
/// | 2 | ``upMirrored`` | mirror left and right |
/// | 3 | ``down`` | turn by 180° |
/// | 4 | ``downMirrored`` | mirror top and bottom |
/// | 5 | ``leftMirrored`` | swap rows and columns |
/// | 6 | ``right`` | turn clockwise |
/// | 7 | ``rightMirrored`` | swap rows and columns along the other diagonal |
/// | 8 | ``left`` | turn counterclockwise |
public enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
  case up = 1
  case upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

  /// Whether width and height change places.
  public var swapsDimensions: Bool { rawValue >= ImageOrientation.leftMirrored.rawValue }

  /// An orientation by its number, `1` to `8`, or its name, such as `up` or `left-mirrored`.
  public init?(name: String) {
    let named = ImageOrientation.allCases.first { $0.name == name || String($0.rawValue) == name }
    guard let named else { return nil }
    self = named
  }

  /// The name that ``init(name:)`` understands.
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

/// How to walk through stored pixels in the order in which a person sees them: any of the eight
/// orientations is a first pixel and two steps, in bytes.
struct OrientedPixelStrides {
  /// How many pixels a walk along a row has.
  let width: Int
  /// How many rows there are.
  let height: Int
  /// How many bytes a pixel has.
  let bytesPerPixel: Int
  /// Where the upper left pixel lies, counted from the first stored one.
  let origin: Int
  /// From a pixel to its right neighbour.
  let pixelStride: Int
  /// From a pixel to the one below.
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

  /// Whether the pixels of a row lie side by side, so that nothing needs to be copied.
  var isContiguous: Bool { pixelStride == bytesPerPixel }
}
