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

  var surface: Surface

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
      throw DrawingError(.picture(ImageError(.tooLarge(width: width, height: height))))
    }
    let library = if let library { library } else { try DrawingLibrary.standard }
    var surface = try Surface(width: columns, height: rows, library: library)
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
        throw DrawingError(.picture(error))
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
