internal import TensorIOCore

/// Frames that say themselves how large they are: portable pixmaps, one after the other.
///
/// `P6`, the width, the height and 255, as text with white space between; then the pixels.
struct PixmapFrames: FrameSource {
  static let magic = Array("P6".utf8)
  /// The longest header that is read.
  private static let longestHeader = 64

  let rate: Double?
  private let stream: any ByteStream
  private var count = 0

  init(_ stream: any ByteStream, rate: Double?) {
    (self.stream, self.rate) = (stream, rate)
  }

  mutating func next() throws(CommandFailure) -> FramePicture? {
    guard let size = try size() else { return nil }
    let pixels = try stream.bytes(upTo: size.byteCount, all: true)
    guard pixels.count == size.byteCount else {
      throw .endsMidFrame(count, held: pixels.count, of: size.byteCount)
    }
    count += 1
    return .image(try size.picture(pixels))
  }

  private func size() throws(CommandFailure) -> PictureSize? {
    var header: [UInt8] = []
    while header.wordCount < 4 {
      let byte = try stream.bytes(upTo: 1, all: true)
      if byte.isEmpty, header.isEmpty { return nil }
      guard !byte.isEmpty else { throw .endsMidFrame(count, held: header.count) }
      header += byte
      guard header.count <= Self.longestHeader else { throw notAPixmap }
    }
    let words = header.words
    guard words[0] == "P6", words[3] == "255", let width = Int(words[1]),
      let height = Int(words[2]), let size = PictureSize(width: width, height: height)
    else { throw notAPixmap }
    return size
  }

  private var notAPixmap: CommandFailure {
    .input("damaged-stream", "frame \(count) does not begin as a picture does")
  }
}

extension [UInt8] {
  /// How many words have ended, each with white space.
  fileprivate var wordCount: Int {
    last?.isSpace == true ? split(whereSeparator: \.isSpace).count : 0
  }

  fileprivate var words: [String] {
    split(whereSeparator: \.isSpace).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
