/// The width and height of an upright picture, in pixels.
public struct PictureSize: Sendable, Hashable {
  /// How many columns.
  public let width: Int
  /// How many rows.
  public let height: Int

  /// A size by its sides.
  public init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }
}

extension PictureSize: CustomStringConvertible {
  /// The sides, such as `640 × 480`.
  public var description: String { "\(width) × \(height)" }
}
