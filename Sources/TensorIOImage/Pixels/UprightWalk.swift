/// How to walk through stored pixels in the order in which a person sees them: any of the eight
/// orientations is a first pixel and two steps, in bytes.
struct UprightWalk {
  /// How many pixels a walk along a row has.
  let width: Int
  /// How many rows there are.
  let height: Int
  /// How many bytes a pixel has.
  let bytesPerPixel: Int
  /// Where the upper left pixel lies, counted from the first stored one.
  let origin: Int
  /// From a pixel to its right neighbour.
  let stepX: Int
  /// From a pixel to the one below.
  let stepY: Int

  init(_ image: ImageBuffer) {
    width = image.uprightWidth
    height = image.uprightHeight
    bytesPerPixel = image.format.bytesPerPixel
    let (pixel, row) = (image.format.bytesPerPixel, image.bytesPerRow)
    let (right, bottom) = ((image.width - 1) * pixel, (image.height - 1) * row)
    (origin, stepX, stepY) =
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
  var isContiguous: Bool { stepX == bytesPerPixel }
}
