/// A place in a text.
public struct JSONPosition: Sendable, Hashable {
  /// The byte, from 0.
  public let offset: Int
  /// The line, from 1.
  ///
  /// A line feed ends one.
  public let line: Int
  /// The column, from 1, counted in bytes.
  ///
  /// A byte order mark does not count.
  public let column: Int

  /// A place in a text.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The place of a byte of a text.
  init(of offset: Int, in text: [UInt8]) {
    let bytes = text.span
    var line = 1
    var lineStart = ByteOrderMark.length(in: text)
    for index in 0..<min(offset, bytes.count) where bytes[index] == ASCII.lineFeed {
      line += 1
      lineStart = index + 1
    }
    self.init(offset: offset, line: line, column: max(offset - lineStart, 0) + 1)
  }
}

extension JSONPosition: CustomStringConvertible {
  /// The line and column, as a person looks them up.
  public var description: String { "line \(line), column \(column)" }
}

/// The three bytes that some editors write before UTF-8 text.
enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// How many bytes of a text are its mark.
  static func length(in text: [UInt8]) -> Int {
    text.starts(with: bytes) ? bytes.count : 0
  }
}
