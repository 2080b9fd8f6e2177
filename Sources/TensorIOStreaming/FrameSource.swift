package import TensorIOCore
package import TensorIOImage

/// Where the pictures of a stream come from, one after the other.
package protocol FrameSource: Sendable {
  /// How many there are in a second, where the source knows.
  var frameRate: Double? { get }
  /// The next picture; `nil` when there are no more.
  mutating func next() throws(OperationError) -> FrameImage?
}

/// The picture of a frame, which is decoded only where somebody wants it.
package enum FrameImage: Sendable {
  case image(ImageBuffer)
  case jpeg([UInt8])

  /// The picture as a model takes it.
  package var layerValue: LayerValue {
    switch self {
    case .image(let image): .image(image)
    case .jpeg(let bytes): .bytes(bytes)
    }
  }

  /// The picture to draw on.
  package var image: ImageBuffer {
    get throws(ImageError) {
      switch self {
      case .image(let image): image
      case .jpeg(let bytes): try ImageBuffer(decoding: bytes)
      }
    }
  }
}

/// A picture with its place in the stream.
package struct VideoFrame: Sendable {
  /// How many came before it.
  package let number: Int
  /// When it came, in seconds.
  package let time: Double
  package let image: FrameImage
}

extension OperationError {
  /// A stream that ends where it must not.
  static func truncatedStream(inFrame frame: Int, received: Int, expected whole: Int? = nil) -> OperationError {
    .input(
      "truncated-stream",
      "the stream ends within frame \(frame), of which it has \(received)"
        + (whole.map { " of \($0)" } ?? "") + " bytes")
  }
}
