@testable import TensorIOImage

/// Readers of images.
enum ImageReaders {
  /// The maximum area in pixels; larger images would slow down fuzzing.
  private static let area = 1 << 18

  static func header(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let header = unlessRejected({ try ImageHeader(of: bytes) }) else { return }
    try verify(
      header.fileFormat == ImageFileFormat(beginningOf: bytes),
      "the header's format differs from the detected one")
  }

  static func exif(_ bytes: [UInt8]) throws(PropertyViolation) {
    let orientation = EXIF.orientation(inTIFF: bytes[...])
    // The result must not depend on the offset of the slice.
    let moved = EXIF.orientation(inTIFF: ([0, 0, 0] + bytes).dropFirst(3))
    try verify(orientation == moved, "the orientation depends on the offset of the bytes")
  }

  /// Decodes the formats that are implemented in Swift.
  static func pixels(_ bytes: [UInt8]) throws(PropertyViolation) {
    switch ImageFileFormat(beginningOf: bytes) {
    case .bmp, .ppm: try decode(bytes)
    default: return
    }
  }

  /// Decodes the formats that are implemented by libraries.
  static func codecs(_ bytes: [UInt8]) throws(PropertyViolation) {
    switch ImageFileFormat(beginningOf: bytes) {
    case .jpeg, .png, .webp: try decode(bytes)
    default: return
    }
  }

  /// A mask has the size in its header, and an index for every pixel.
  static func mask(_ bytes: [UInt8]) throws(PropertyViolation) {
    let header = unlessRejected { try ImageHeader(of: bytes) }
    if let header, !isSmall(header) { return }
    guard let mask = unlessRejected({ try IndexedImage(decodingPNG: bytes) }) else { return }
    try verify(
      mask.width == header?.width && mask.height == header?.height
        && mask.indices.count == mask.width * mask.height,
      "the size of a mask differs from its header")
  }

  /// An image has the size and orientation in its header, and all its pixels.
  static func decode(_ bytes: [UInt8]) throws(PropertyViolation) {
    let header = unlessRejected { try ImageHeader(of: bytes) }
    if let header, !isSmall(header) { return }
    guard let image = unlessRejected({ try ImageBuffer(decoding: bytes) }) else { return }
    try verify(
      image.width == header?.width && image.height == header?.height
        && image.orientation == header?.orientation,
      "the size or orientation of an image differs from its header")
    try verify(
      image.pixels.count == image.width * image.height * image.format.bytesPerPixel,
      "an image has a wrong number of pixel bytes")
  }

  private static func isSmall(_ header: ImageHeader) -> Bool {
    let (product, isTooLarge) = header.width.multipliedReportingOverflow(by: header.height)
    return !isTooLarge && product <= area
  }
}
