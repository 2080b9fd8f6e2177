/// A picture whose pixels name something else than colours, such as the classes of a mask.
///
/// The pixels of a PNG with a palette are the palette's indexes, those of a gray one the values that
/// are stored, also where they have fewer bits than eight.
package struct ImageIndexes: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// An index for every pixel, row by row.
  package let values: [UInt8]

  /// Indexes at hand.
  init(width: Int, height: Int, values: [UInt8]) {
    (self.width, self.height, self.values) = (width, height, values)
  }

  /// The indexes of a PNG whose file is in memory.
  package init(ofPNG bytes: [UInt8]) throws(ImageError) {
    guard ImageFileFormat(beginningOf: bytes) == .png else { throw ImageError(.unknownFormat) }
    self = try PNGCodec.decodeIndexes(bytes)
  }
}
