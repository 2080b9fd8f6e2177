import TensorIOCore

/// Frames that are JPEGs, one after the other.
struct MotionJPEGFrames: FrameSource {
  /// How many bytes are read at a time.
  private static let pieceLength = 1 << 16

  let rate: Double?
  private let stream: any ByteStream
  private var splitter = JPEGSplitter()
  private var waiting: ArraySlice<[UInt8]> = []
  private var count = 0

  init(_ stream: any ByteStream, rate: Double?) {
    (self.stream, self.rate) = (stream, rate)
  }

  mutating func next() throws(CommandFailure) -> FramePicture? {
    while waiting.isEmpty {
      let piece = try stream.bytes(upTo: Self.pieceLength, all: false)
      guard !piece.isEmpty else { return try end() }
      waiting = splitter.split(piece)[...]
    }
    count += 1
    return waiting.popFirst().map(FramePicture.jpeg)
  }

  private mutating func end() throws(CommandFailure) -> FramePicture? {
    guard splitter.heldCount > 0 else { return nil }
    throw .endsMidFrame(count, held: splitter.heldCount)
  }
}
