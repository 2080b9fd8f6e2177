internal import TensorIO
internal import TensorIOCore
internal import TensorIOImage

/// Where the pictures of a stream come from, one after the other.
protocol FrameSource: Sendable {
  /// How many there are in a second, where the source knows.
  var rate: Double? { get }
  /// The next picture; `nil` when there are no more.
  mutating func next() throws(CommandFailure) -> FramePicture?
}

/// The picture of a frame, which is decoded only where somebody wants it.
enum FramePicture: Sendable {
  case image(ImageBuffer)
  case jpeg([UInt8])

  /// The picture as a model takes it.
  var value: LayerValue {
    switch self {
    case .image(let image): .image(image)
    case .jpeg(let bytes): .bytes(bytes)
    }
  }

  /// The picture to draw on.
  var image: ImageBuffer {
    get throws(ImageError) {
      switch self {
      case .image(let image): image
      case .jpeg(let bytes): try ImageBuffer(decoding: bytes)
      }
    }
  }
}

/// A picture with its place in the stream.
struct Frame: Sendable {
  /// How many came before it.
  let number: Int
  /// When it came, in seconds.
  let time: Double
  let picture: FramePicture
}

extension CommandFailure {
  /// A stream that ends where it must not.
  static func endsMidFrame(_ frame: Int, held: Int, of whole: Int? = nil) -> CommandFailure {
    .input(
      "truncated-stream",
      "the stream ends within frame \(frame), of which it has \(held)"
        + (whole.map { " of \($0)" } ?? "") + " bytes")
  }
}
