@testable import TensorIOImage

/// Readers of pictures.
enum PictureReaders {
  /// Larger pictures are decoded elsewhere; here they would only take time.
  private static let area = 1 << 18

  static func header(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let header = unlessRefused({ try ImageHeader(of: bytes) }) else { return }
    try promise(
      header.fileFormat == ImageFileFormat(beginningOf: bytes), "a header of another format")
  }

  static func exif(_ bytes: [UInt8]) throws(BrokenPromise) {
    let orientation = EXIF.orientation(inTIFF: bytes[...])
    // The same bytes elsewhere in a file mean the same.
    let moved = EXIF.orientation(inTIFF: ([0, 0, 0] + bytes).dropFirst(3))
    try promise(orientation == moved, "an orientation depends on where it stands")
  }

  /// The formats that are decoded by code of ours.
  static func pixels(_ bytes: [UInt8]) throws(BrokenPromise) {
    switch ImageFileFormat(beginningOf: bytes) {
    case .bmp, .ppm: try decode(bytes)
    default: return
    }
  }

  /// The formats that libraries decode.
  static func codecs(_ bytes: [UInt8]) throws(BrokenPromise) {
    switch ImageFileFormat(beginningOf: bytes) {
    case .jpeg, .png, .webp: try decode(bytes)
    default: return
    }
  }

  /// A mask has an index for every pixel of the size that its header says.
  static func mask(_ bytes: [UInt8]) throws(BrokenPromise) {
    let header = unlessRefused { try ImageHeader(of: bytes) }
    if let header, !isSmall(header) { return }
    guard let mask = unlessRefused({ try IndexedImage(decodingPNG: bytes) }) else { return }
    try promise(
      mask.width == header?.width && mask.height == header?.height
        && mask.indices.count == mask.width * mask.height,
      "a mask is another than its header says")
  }

  /// A picture is of the size that its header says, and has all its pixels.
  static func decode(_ bytes: [UInt8]) throws(BrokenPromise) {
    let header = unlessRefused { try ImageHeader(of: bytes) }
    if let header, !isSmall(header) { return }
    guard let image = unlessRefused({ try ImageBuffer(decoding: bytes) }) else { return }
    try promise(
      image.width == header?.width && image.height == header?.height
        && image.orientation == header?.orientation,
      "a picture is another than its header says")
    try promise(
      image.pixels.count == image.width * image.height * image.format.bytesPerPixel,
      "a picture lacks pixels")
  }

  private static func isSmall(_ header: ImageHeader) -> Bool {
    let (product, isTooLarge) = header.width.multipliedReportingOverflow(by: header.height)
    return !isTooLarge && product <= area
  }
}
