@testable import TensorIOStreaming

/// Readers of frames that follow each other.
enum StreamReaders {
  /// The same pictures come whatever pieces the bytes come in, and none has bytes of its own making.
  static func jpegs(_ bytes: [UInt8]) throws(BrokenPromise) {
    var whole = JPEGSplitter()
    let pictures = whole.append(bytes)
    var piecewise = JPEGSplitter()
    var found: [[UInt8]] = []
    for piece in Pieces(of: bytes) { found += piecewise.append(Array(piece)) }
    try promise(found == pictures, "pictures depend on how their bytes were cut")
    try promise(
      pictures.reduce(0) { $0 + $1.count } + whole.bufferedCount <= bytes.count, "bytes came twice")
  }

  static func pixmaps(_ bytes: [UInt8]) throws(BrokenPromise) {
    var frames = PPMSource(InMemoryStream(bytes), frameRate: nil)
    while unlessRefused({ try frames.next() }).flatMap(\.self) != nil {}
  }
}

/// Bytes cut into pieces, whose lengths the bytes themselves decide.
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
