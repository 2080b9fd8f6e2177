/// The characters of a text as readers see them, such as a letter with its marks.
enum GraphemeClusters {
  /// Calls a function with the range of each cluster of a valid text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isNeeded: Receives the range of each part whose clusters take long to find; returns whether they are needed.
  ///   - body: Receives a cluster, or a part whose clusters are not needed.
  @inline(__always)
  static func forEach(
    in text: Span<UInt8>, isNeeded: (Range<Int>) -> Bool, _ body: (Range<Int>) -> Void
  ) {
    var index = 0
    while index < text.count {
      if isASCII(index, text), index + 1 == text.count || isASCII(index + 1, text) {
        let isLineEnd =
          text[index] == 0x0D && index + 1 < text.count && text[index + 1] == 0x0A
        body(index..<index + (isLineEnd ? 2 : 1))
        index += isLineEnd ? 2 : 1
        continue
      }
      var end = index + 1
      while end < text.count, !(isASCII(end - 1, text) && isASCII(end, text)) { end += 1 }
      // The clusters of the part up to a character of ASCII that another one follows.
      if end < text.count { end -= 1 }
      guard isNeeded(index..<end) else {
        body(index..<end)
        index = end
        continue
      }
      var bytes: [UInt8] = []
      for place in index..<end { bytes.append(text[place]) }
      for character in String(decoding: bytes, as: UTF8.self) {
        let count = character.utf8.count
        body(index..<index + count)
        index += count
      }
    }
  }

  @inline(__always)
  private static func isASCII(_ index: Int, _ text: Span<UInt8>) -> Bool { text[index] < 0x80 }
}
