public import TensorIOBundle
public import TensorIOImage

/// An image to draw on.
///
/// The canvas holds an upright copy of the image, and drawing is clipped to it. Coordinates are
/// pixels, relative to the upper left corner. Integer coordinates are *between* pixels, so
/// rectangles with integer coordinates have sharp edges.
///
/// ```swift
/// import TensorIO
/// import TensorIODrawing
///
/// var canvas = try Canvas(ImageBuffer(contentsOf: "cat.jpg"))
/// canvas.strokeRectangle(.init(x: 40, y: 20, width: 200, height: 160), color: .forClass(281))
/// canvas.drawText("tabby", at: .init(x: 44, y: 24), size: 18, color: .white)
/// let annotated = try canvas.image
/// ```
///
/// A canvas is not copyable. Its cairo resources are freed when it is destroyed.
public struct Canvas: ~Copyable {
  /// The factor by which the image is enlarged on the canvas.
  public let scale: Int
  /// The size of the image that the canvas was created from.
  let (imageWidth, imageHeight): (Int, Int)

  var surface: CairoSurface

  /// Creates a canvas of the image's size.
  ///
  /// - Parameter image: The image to draw on.
  /// - Throws: A `ModelError` if cairo, FreeType or a font is missing, or memory is exhausted.
  public init(_ image: ImageBuffer) throws(ModelError) {
    try self.init(
      image, scale: 1, width: image.uprightWidth, height: image.uprightHeight, using: nil)
  }

  /// Creates a canvas of the image's size that draws with a given library.
  package init(_ image: ImageBuffer, using library: DrawingLibrary) throws(ModelError) {
    try self.init(
      image, scale: 1, width: image.uprightWidth, height: image.uprightHeight, using: library)
  }

  /// Creates a canvas of the given size with the image in its upper left corner.
  init(
    _ image: ImageBuffer, scale: Int, width: Int, height: Int, using library: DrawingLibrary?
  ) throws(ModelError) {
    guard let columns = Int32(exactly: width), let rows = Int32(exactly: height) else {
      throw .drawingFailed(ImageError(.tooLarge(width: width, height: height)))
    }
    let library = if let library { library } else { try DrawingLibrary.standard }
    var surface = try CairoSurface(width: columns, height: rows, library: library)
    let native = image.upright().converted(to: Self.nativeFormat)
    for y in 0..<native.height {
      native.withRow(y) { row in surface.setRow(y, to: row, repeating: scale) }
    }
    self.scale = scale
    (imageWidth, imageHeight) = (native.width, native.height)
    self.surface = surface
  }

  /// The width in pixels.
  public var width: Int { surface.width }

  /// The height in pixels.
  public var height: Int { surface.height }

  /// The result of drawing, as RGB.
  public var image: ImageBuffer {
    get throws(ModelError) {
      try surface.check()
      do throws(ImageError) {
        return try ImageBuffer(
          width: width, height: height, format: Self.nativeFormat, pixels: surface.pixels()
        ).converted(to: .rgb)
      } catch {
        throw .drawingFailed(error)
      }
    }
  }

  /// The byte order of a 32-bit pixel in native endianness.
  #if _endian(little)
    private static var nativeFormat: PixelFormat { .bgra }
  #else
    private static var nativeFormat: PixelFormat { .argb }
  #endif
}

extension Canvas {
  /// The minimum width of a canvas with legible labels.
  static let minLegibleWidth = 480
  /// The minimum height of a canvas with a few labels.
  static let minLegibleHeight = 120
  /// The maximum length of a side after enlarging.
  static let maxEnlargedSide = 4096
  /// The color around an image that is smaller than its canvas.
  static let marginColor = Color(red: 32, green: 34, blue: 38)

  /// Creates a canvas on which labels are legible, even if the image is small.
  ///
  /// A narrow image is enlarged by an integer factor, ``scale``. If it would become too long, a
  /// margin is added to its right or below.
  ///
  /// - Parameter image: The image to draw on.
  /// - Throws: A `ModelError` if cairo, FreeType or a font is missing, or memory is exhausted.
  public init(enlarging image: ImageBuffer) throws(ModelError) {
    let (width, height) = (image.uprightWidth, image.uprightHeight)
    let scale = Self.enlargementFactor(width: width, height: height)
    try self.init(
      image, scale: scale, width: max(width * scale, Self.minLegibleWidth),
      height: max(height * scale, Self.minLegibleHeight), using: nil)
    fillRectangle(
      Rectangle(
        x: Double(width * scale), y: 0, width: Double(self.width), height: Double(self.height)),
      color: Self.marginColor)
    fillRectangle(
      Rectangle(
        x: 0, y: Double(height * scale), width: Double(self.width), height: Double(self.height)),
      color: Self.marginColor)
  }

  /// Returns the integer factor that makes an image wide enough, limited by its height.
  static func enlargementFactor(width: Int, height: Int) -> Int {
    let factor = (minLegibleWidth + width - 1) / width
    return max(1, min(factor, maxEnlargedSide / height))
  }
}

extension Canvas {
  /// A point on a canvas.
  public struct Point: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the upper edge.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A rectangle on a canvas.
  public struct Rectangle: Sendable, Hashable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a rectangle from its upper left corner and size.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// The right edge.
    public var maxX: Double { x + width }

    /// The lower edge.
    public var maxY: Double { y + height }

    /// Returns the rectangle with each edge moved inwards by a distance.
    public func inset(by distance: Double) -> Rectangle {
      Rectangle(
        x: x + distance, y: y + distance, width: width - 2 * distance, height: height - 2 * distance
      )
    }
  }
}

// Cairo uses fixed-point coordinates with 24 integer bits, and non-finite values corrupt its paths.
// Coordinates come from models and are therefore untrusted.
extension Canvas {
  /// The maximum absolute value of a coordinate.
  static let maxCoordinate = 1_000_000.0

  static func isDrawable(_ values: Double...) -> Bool {
    values.allSatisfy { $0.isFinite && abs($0) <= maxCoordinate }
  }
}

extension Canvas.Rectangle {
  /// The rectangle clamped to valid coordinates; `nil` if it is empty or not finite.
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
