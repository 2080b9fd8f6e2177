/// The text of a labels file: a label a line.
package enum Labels {
  /// As many bytes as a labels file may have: a thousand times those of the largest in use.
  package static let maximumBytes = 16 << 20
  /// How many lines a label may stand away from its value's index.
  static let maximumOffset = 1 << 16

  /// Why a text is no list of labels.
  package enum Fault: Error, Equatable {
    case notUTF8
    case nul

    package var problem: String {
      switch self {
      case .notUTF8: "it is not UTF-8"
      case .nul: "it has a NUL character, as no text does"
      }
    }
  }

  /// The labels of a text, without the blanks around them.
  ///
  /// The line feed that ends the last line begins no further label. Other empty lines are labels
  /// without letters: their places count.
  package static func read(_ bytes: [UInt8]) throws(Fault) -> [String] {
    let text = bytes[ByteOrderMark.length(in: bytes)...]
    guard !text.contains(0) else { throw .nul }
    guard let separator = separator(of: text) else { return try text.isEmpty ? [] : [label(text)] }
    var lines = text.split(separator: separator, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    var labels: [String] = []
    labels.reserveCapacity(lines.count)
    for line in lines { labels.append(try label(line)) }
    return labels
  }

  /// What ends a line: a line feed, or a carriage return where there are no line feeds at all.
  private static func separator(of text: ArraySlice<UInt8>) -> UInt8? {
    [ASCII.lineFeed, ASCII.carriageReturn].first(where: text.contains)
  }

  private static func label(_ line: ArraySlice<UInt8>) throws(Fault) -> String {
    var line = line
    while let last = line.last, isBlank(last) { line.removeLast() }
    guard let label = String(validating: line.drop(while: isBlank), as: UTF8.self) else {
      throw .notUTF8
    }
    return label
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == ASCII.space || (ASCII.tab...ASCII.carriageReturn).contains(byte)
  }
}
