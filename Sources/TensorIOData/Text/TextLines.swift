/// A line of a text that holds something.
struct TextLine: Sendable {
  /// From 1.
  let number: Int
  let range: Range<Int>
}

/// A text with a value per line; those that are blank are passed over.
struct TextLines: Sendable {
  let bytes: [UInt8]
  let all: [TextLine]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
      .filter { !$1.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }
      .map { TextLine(number: $0 + 1, range: $1.indices) }
  }

  /// The bytes of a line.
  subscript(line: TextLine) -> [UInt8] { Array(bytes[line.range]) }
}
