/// A piece of a normalized text.
struct Segment {
  /// The id of the piece, or of the unknown token.
  let id: Int32
  private let byteCount: Int32

  init(id: Int32, length: Int) {
    self.id = id
    byteCount = Int32(truncatingIfNeeded: length)
  }

  /// The number of bytes, which is less than 2³¹.
  var length: Int { Int(byteCount) }
}

/// The segmentation of a normalized text into pieces.
protocol SentencePieceSegmenter: Sendable {
  /// Returns the pieces of a text.
  func segments(of text: Span<UInt8>) -> [Segment]
}

extension SentencePieceSegmenter {
  /// Returns the length of the character at an offset; 1 for a byte that begins no character.
  @inline(__always)
  func characterLength(at index: Int, in text: Span<UInt8>) -> Int {
    let first = text[index]
    return first < 0xC0 ? 1 : min(UTF8Text.length(after: first), text.count - index)
  }
}
