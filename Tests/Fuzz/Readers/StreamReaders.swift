@testable import TensorIOStreaming

/// Readers of streams of frames.
enum StreamReaders {
  /// The frames do not depend on how the bytes are split, and contain only bytes of the stream.
  static func jpegs(_ bytes: [UInt8]) throws(PropertyViolation) {
    var whole = JPEGSplitter()
    let frames = whole.append(bytes)
    var piecewise = JPEGSplitter()
    var piecewiseFrames: [[UInt8]] = []
    for piece in Pieces(of: bytes) { piecewiseFrames += piecewise.append(Array(piece)) }
    try verify(piecewiseFrames == frames, "the frames depend on how the bytes were split")
    try verify(
      frames.reduce(0) { $0 + $1.count } + whole.bufferedCount <= bytes.count,
      "bytes are duplicated")
  }

  static func pixmaps(_ bytes: [UInt8]) throws(PropertyViolation) {
    var frames = PPMSource(InMemoryStream(bytes), frameRate: nil)
    while unlessRejected({ try frames.next() }).flatMap(\.self) != nil {}
  }
}

/// Splits bytes into pieces, whose lengths depend on the bytes.
struct Pieces: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(of bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> ArraySlice<UInt8>? {
    guard let first = rest.first else { return nil }
    let piece = rest.prefix(1 + Int(first % 7))
    rest = rest.dropFirst(piece.count)
    return piece
  }
}
