import TensorIOJSON

/// The text of a labels file: a label a line.
package enum LabelsFile {
  /// As many bytes as a labels file may have: a thousand times those of the largest in use.
  package static let maxBytes = 16 << 20
  /// How many lines a label may stand away from its value's index.
  static let maxOffset = 1 << 16

  /// Why a text is no list of labels.
  package enum ParseError: Error, Equatable {
    case notUTF8
    case nul

    package var message: String {
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
  package static func parse(_ bytes: [UInt8]) throws(ParseError) -> [String] {
    let bytes = bytes[ByteOrderMark.length(in: bytes)...]
    guard !bytes.contains(0) else { throw .nul }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    guard let separator = separator(of: bytes) else {
      return text.isEmpty ? [] : [label(text.utf8[...])]
    }
    var lines = text.utf8.split(separator: separator, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map(label)
  }

  /// What ends a line: a line feed, or a carriage return where there are no line feeds at all.
  private static func separator(of text: ArraySlice<UInt8>) -> UInt8? {
    [ASCII.lineFeed, ASCII.carriageReturn].first(where: text.contains)
  }

  private static func label(_ line: Substring.UTF8View) -> String {
    var line = line.drop(while: isBlank)
    while let last = line.last, isBlank(last) { line.removeLast() }
    return String(Substring(line))
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == ASCII.space || (ASCII.tab...ASCII.carriageReturn).contains(byte)
  }
}
