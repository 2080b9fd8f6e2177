/// The character that stands for a space in pieces, `▁`.
enum SpaceMark {
  /// The UTF-8 of the character.
  static let bytes: [UInt8] = [0xE2, 0x96, 0x81]

  /// Whether the character is at an offset.
  @inline(__always)
  private static func isMark(at index: Int, in text: Span<UInt8>) -> Bool {
    text[index] == 0xE2 && index + 2 < text.count && text[index + 1] == 0x96
      && text[index + 2] == 0x81
  }

  /// Returns the next place where the character follows another one, or the end of the text.
  @inline(__always)
  static func endOfWord(at start: Int, in text: Span<UInt8>) -> Int {
    var index = start
    var wasMark = true
    while index < text.count {
      let isMark = isMark(at: index, in: text)
      if isMark, !wasMark { return index }
      wasMark = isMark
      index += isMark ? 3 : 1
    }
    return text.count
  }

  /// Whether the character follows another one in a piece.
  static func crossesWords(_ piece: Span<UInt8>) -> Bool {
    endOfWord(at: 0, in: piece) < piece.count
  }
}
