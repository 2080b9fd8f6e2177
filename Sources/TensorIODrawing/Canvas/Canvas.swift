public import TensorIOImage

/// A picture to draw on.
///
/// The picture is copied, upright, and what is drawn stays within it. Coordinates are pixels of the
/// canvas, from its upper left corner, and a whole number lies *between* two pixels, so that a
/// rectangle of whole numbers has sharp edges.
///
/// ```swift
/// var canvas = try Canvas(ImageBuffer(contentsOf: "cat.jpg"))
/// canvas.strokeRectangle(.init(x: 40, y: 20, width: 200, height: 160), color: .forClass(281))
/// canvas.text("tabby", at: .init(x: 44, y: 24), size: 18, color: .white)
/// let annotated = try canvas.image
/// ```
///
/// A canvas has one owner, and frees what it took of cairo when that owner is done.
public struct Canvas: ~Copyable {
  /// How many pixels of the canvas a pixel of the picture is wide and high.
  public let scale: Int

  var surface: CairoSurface

  /// A canvas as large as the picture.
  public init(
    _ picture: ImageBuffer, using library: DrawingLibrary? = nil
  ) throws(DrawingError) {
    try self.init(
      picture, scale: 1, width: picture.uprightWidth, height: picture.uprightHeight, using: library)
  }

  /// A canvas of a given size, with the picture in its upper left corner.
  init(
    _ picture: ImageBuffer, scale: Int, width: Int, height: Int, using library: DrawingLibrary?
  ) throws(DrawingError) {
    guard let columns = Int32(exactly: width), let rows = Int32(exactly: height) else {
      throw DrawingError(.image(ImageError(.tooLarge(width: width, height: height))))
    }
    let library = if let library { library } else { try DrawingLibrary.standard }
    var surface = try CairoSurface(width: columns, height: rows, library: library)
    let native = picture.upright().converted(to: Self.nativeFormat)
    for y in 0..<native.height {
      native.withRow(y) { row in surface.setRow(y, to: row, repeating: scale) }
    }
    self.scale = scale
    self.surface = surface
  }

  /// The width in pixels.
  public var width: Int { surface.width }

  /// The height in pixels.
  public var height: Int { surface.height }

  /// What has been drawn, as RGB.
  public var image: ImageBuffer {
    get throws(DrawingError) {
      try surface.check()
      do throws(ImageError) {
        return try ImageBuffer(
          width: width, height: height, format: Self.nativeFormat, pixels: surface.pixels()
        ).converted(to: .rgb)
      } catch {
        throw DrawingError(.image(error))
      }
    }
  }

  /// How a pixel of 32 bits in the machine's own byte order looks byte by byte.
  #if _endian(little)
    private static var nativeFormat: PixelFormat { .bgra }
  #else
    private static var nativeFormat: PixelFormat { .argb }
  #endif
}

extension Canvas {
  /// The narrowest canvas on which labels can be read.
  static let minLegibleWidth = 480
  /// The lowest canvas on which a few labels find place.
  static let minLegibleHeight = 120
  /// How long the sides of a picture may become by enlarging.
  static let maxEnlargedSide = 4096
  /// Around a picture that stays smaller than its canvas.
  static let marginColor = Color(red: 32, green: 34, blue: 38)

  /// A canvas on which labels can be read, however small the picture is.
  ///
  /// A narrow picture is enlarged by a whole factor, ``scale``, so that its pixels stay squares; one
  /// that is too long for that gets a margin to its right or below.
  public init(
    enlarging picture: ImageBuffer, using library: DrawingLibrary? = nil
  ) throws(DrawingError) {
    let (width, height) = (picture.uprightWidth, picture.uprightHeight)
    let scale = Self.enlargementFactor(width: width, height: height)
    try self.init(
      picture, scale: scale, width: max(width * scale, Self.minLegibleWidth),
      height: max(height * scale, Self.minLegibleHeight), using: library)
    fillRectangle(
      Rectangle(
        x: Double(width * scale), y: 0, width: Double(self.width), height: Double(self.height)),
      color: Self.marginColor)
    fillRectangle(
      Rectangle(
        x: 0, y: Double(height * scale), width: Double(self.width), height: Double(self.height)),
      color: Self.marginColor)
  }

  /// The whole factor that makes a picture wide enough, unless it would become too high.
  static func enlargementFactor(width: Int, height: Int) -> Int {
    let wanted = (minLegibleWidth + width - 1) / width
    return max(1, min(wanted, maxEnlargedSide / height))
  }
}

extension Canvas {
  /// A place on a canvas.
  public struct Point: Sendable, Hashable {
    /// From the left.
    public var x: Double
    /// From the top.
    public var y: Double

    /// A place, from the upper left corner.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A rectangle on a canvas.
  public struct Rectangle: Sendable, Hashable {
    /// Its left edge.
    public var x: Double
    /// Its upper edge.
    public var y: Double
    /// From its left to its right edge.
    public var width: Double
    /// From its upper to its lower edge.
    public var height: Double

    /// A rectangle with its upper left corner at a place.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// Its right edge.
    public var maxX: Double { x + width }

    /// Its lower edge.
    public var maxY: Double { y + height }

    /// The rectangle that is smaller by as much on each side.
    public func inset(by distance: Double) -> Rectangle {
      Rectangle(
        x: x + distance, y: y + distance, width: width - 2 * distance, height: height - 2 * distance
      )
    }
  }
}

// Cairo counts in 24 bits before the point, and what is not a number breaks its paths. Coordinates
// come from models, so nothing is taken for granted.
extension Canvas {
  /// How far outside of the canvas a shape may reach.
  static let maxCoordinate = 1_000_000.0

  static func isDrawable(_ values: Double...) -> Bool {
    values.allSatisfy { $0.isFinite && abs($0) <= maxCoordinate }
  }
}

extension Canvas.Rectangle {
  /// The part of the rectangle that can matter; `nil` for what is not a rectangle.
  var clamped: Canvas.Rectangle? {
    guard x.isFinite, y.isFinite, width.isFinite, height.isFinite, width > 0, height > 0 else {
      return nil
    }
    let (left, right) = (max(x, -Canvas.maxCoordinate), min(maxX, Canvas.maxCoordinate))
    let (top, bottom) = (max(y, -Canvas.maxCoordinate), min(maxY, Canvas.maxCoordinate))
    guard left < right, top < bottom else { return nil }
    return Canvas.Rectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}
