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
  public var swapsSides: Bool { rawValue >= ImageOrientation.leftMirrored.rawValue }

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
