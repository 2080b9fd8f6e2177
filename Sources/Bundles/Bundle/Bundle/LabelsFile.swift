import TensorIOJSON

/// Parses labels files, which have one label per line.
package enum LabelsFile {
  /// The maximum size of a labels file in bytes.
  package static let maxBytes = 16 << 20
  /// The maximum magnitude of a label offset.
  static let maxOffset = 1 << 16

  /// Returns the labels of a file, without surrounding whitespace.
  ///
  /// The line feed at the end of the last line does not add a label. Other empty lines are empty
  /// labels, so that the labels after them keep their index. Errors mention the file by `name`.
  package static func parse(
    _ bytes: [UInt8], named name: String = "labels"
  ) throws(ModelError) -> [String] {
    let bytes = bytes[ByteOrderMark.length(in: bytes)...]
    guard !bytes.contains(0) else {
      throw ModelError(.bundle, .unreadableFile(name, detail: "it contains a NUL character"))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ModelError(.bundle, .unreadableFile(name, detail: "it is not UTF-8"))
    }
    guard let separator = separator(of: bytes) else {
      return text.isEmpty ? [] : [label(text.utf8[...])]
    }
    var lines = text.utf8.split(separator: separator, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map(label)
  }

  /// Returns the line separator: a line feed, or a carriage return if there are no line feeds.
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
