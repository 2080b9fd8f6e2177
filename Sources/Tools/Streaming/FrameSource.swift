package import TensorIOCore
package import TensorIOImage

/// A source of the images of a stream.
package protocol FrameSource: Sendable {
  /// The number of images per second, if known.
  var frameRate: Double? { get }
  /// Returns the next image, or `nil` at the end.
  mutating func next() throws(OperationError) -> FrameImage?
}

/// The image of a frame, which is decoded on demand.
package enum FrameImage: Sendable {
  case image(ImageBuffer)
  case jpeg([UInt8])

  /// The image as a model input.
  package var layerValue: LayerValue {
    switch self {
    case .image(let image): .image(image)
    case .jpeg(let bytes): .bytes(bytes)
    }
  }

  /// The decoded image.
  package var image: ImageBuffer {
    get throws(ImageError) {
      switch self {
      case .image(let image): image
      case .jpeg(let bytes): try ImageBuffer(decoding: bytes)
      }
    }
  }
}

/// An image with its position in the stream.
package struct VideoFrame: Sendable {
  /// The number of frames before this one.
  package let number: Int
  /// The time of the frame, in seconds.
  package let time: Double
  package let image: FrameImage
}

extension OperationError {
  /// The error of a stream that ends within a frame.
  static func truncatedStream(
    inFrame frame: Int, received: Int, expected: Int? = nil
  ) -> OperationError {
    .input(
      "truncated-stream",
      "the stream ends in frame \(frame) after \(received)"
        + (expected.map { " of \($0)" } ?? "") + " bytes")
  }
}
