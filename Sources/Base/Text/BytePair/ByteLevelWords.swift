/// The words of GPT-2's pattern: English contractions, runs of letters, digits or other characters with one space before
/// them, and white space.
///
/// The pattern is `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
enum ByteLevelWords {
  private static let kinds: ScalarClass = [.letter, .number, .space]
  private static let ascii = (0..<UInt32(128)).map { ScalarClass(of: $0).intersection(kinds) }

  /// Calls a function with the range of each word of a valid text.
  @inline(__always)
  static func forEach(in text: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    let ascii = ascii
    var start = 0
    while start < text.count {
      let end = end(ofWordAt: start, in: text, ascii)
      body(start..<end)
      start = end
    }
  }

  @inline(__always)
  private static func kind(
    at index: Int, in text: Span<UInt8>, _ ascii: [ScalarClass]
  ) -> (ScalarClass, Int) {
    if text[index] < 0x80 { return (ascii[Int(text[index])], 1) }
    let (scalar, length) = UTF8Text.scalar(at: index, in: text)
    return (ScalarClass(of: scalar).intersection(kinds), length)
  }

  private static func end(
    ofWordAt start: Int, in text: Span<UInt8>, _ ascii: [ScalarClass]
  ) -> Int {
    if text[start] == UInt8(ascii: "'"), let length = contraction(at: start + 1, in: text) {
      return start + 1 + length
    }
    var (run, length) = kind(at: start, in: text, ascii)
    var index = start + length
    if text[start] == UInt8(ascii: " "), index < text.count {
      let (next, nextLength) = kind(at: index, in: text, ascii)
      if next != .space {
        run = next
        index += nextLength
      }
    }
    var last = start
    while index < text.count {
      let (kind, length) = kind(at: index, in: text, ascii)
      guard kind == run else { break }
      last = index
      index += length
    }
    // The last character of white space before a word begins a new word, if it is not the only one.
    return run == .space && index < text.count && last > start ? last : index
  }

  /// Returns the length of the end of a contraction after its apostrophe.
  private static func contraction(at index: Int, in text: Span<UInt8>) -> Int? {
    guard index < text.count else { return nil }
    switch text[index] {
    case UInt8(ascii: "s"), UInt8(ascii: "t"), UInt8(ascii: "m"), UInt8(ascii: "d"): return 1
    default: break
    }
    guard index + 1 < text.count else { return nil }
    switch (text[index], text[index + 1]) {
    case (UInt8(ascii: "r"), UInt8(ascii: "e")), (UInt8(ascii: "v"), UInt8(ascii: "e")),
      (UInt8(ascii: "l"), UInt8(ascii: "l")):
      return 2
    default: return nil
    }
  }
}
