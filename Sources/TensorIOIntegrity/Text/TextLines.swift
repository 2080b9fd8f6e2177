/// The lines of a file of minisign's.
struct TextLines {
  /// The lines, without what ends them.
  let lines: [String]

  /// Nothing of the kind is longer.
  static let longest = 1 << 14

  /// Reads a file; `nil` when it is no text, or longer than any.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    // As scalars: a carriage return and a line feed are one character.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.map { String(Substring($0.last == "\r" ? $0.dropLast() : $0)) }
  }

  /// What follows the beginning of a line; `nil` when the line begins otherwise or is not there.
  func rest(of index: Int, after beginning: String) -> String? {
    guard index < lines.count, lines[index].utf8.starts(with: beginning.utf8) else { return nil }
    return String(Substring(lines[index].unicodeScalars.dropFirst(beginning.unicodeScalars.count)))
  }

  /// The bytes that a line stands for; `nil` unless they are so many.
  func bytes(of index: Int, count: Int) -> [UInt8]? {
    guard index < lines.count, let bytes = Base64.bytes(of: lines[index]), bytes.count == count
    else { return nil }
    return bytes
  }

  /// What the first line of every file begins with, which nobody has signed.
  static let untrusted = "untrusted comment: "
}

extension String {
  /// The text in one line.
  var inOneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? " " : $0 }))
  }
}
