public import TensorIOImage

extension Canvas {
  /// The narrowest canvas on which labels can be read.
  static let legibleWidth = 480
  /// The lowest canvas on which a few labels find place.
  static let legibleHeight = 120
  /// How long the sides of a picture may become by enlarging.
  static let enlargedSide = 4096
  /// Around a picture that stays smaller than its canvas.
  static let surroundings = Color(red: 32, green: 34, blue: 38)

  /// A canvas on which labels can be read, however small the picture is.
  ///
  /// A narrow picture is enlarged by a whole factor, ``scale``, so that its pixels stay squares; one
  /// that is too long for that gets a margin to its right or below.
  public init(
    enlarging picture: ImageBuffer, using library: DrawingLibrary? = nil
  ) throws(DrawingError) {
    let (width, height) = (picture.uprightWidth, picture.uprightHeight)
    let scale = Self.enlargement(width: width, height: height)
    try self.init(
      picture, scale: scale, width: max(width * scale, Self.legibleWidth),
      height: max(height * scale, Self.legibleHeight), using: library)
    fillRectangle(
      Rectangle(
        x: Double(width * scale), y: 0, width: Double(self.width), height: Double(self.height)),
      color: Self.surroundings)
    fillRectangle(
      Rectangle(
        x: 0, y: Double(height * scale), width: Double(self.width), height: Double(self.height)),
      color: Self.surroundings)
  }

  /// The whole factor that makes a picture wide enough, unless it would become too high.
  static func enlargement(width: Int, height: Int) -> Int {
    let wanted = (legibleWidth + width - 1) / width
    return max(1, min(wanted, enlargedSide / height))
  }
}
