/// A frame of a video, with the result of a model.
package struct ProcessedFrame: Sendable {
  /// The image, as a JPEG file.
  package let image: [UInt8]
  /// The width of the image.
  package let width: Int
  /// The height of the image.
  package let height: Int
  /// The record of the run and what to draw on the image, as JSON.
  package let record: [UInt8]
  /// The record as `tensorio stream` writes it, in a line of JSON.
  package let line: [UInt8]

  /// Creates a frame.
  package init(image: [UInt8], width: Int, height: Int, record: [UInt8], line: [UInt8]) {
    (self.image, self.width, self.height) = (image, width, height)
    (self.record, self.line) = (record, line)
  }
}
