/// Replaces paths of this machine in messages.
struct PathRedactor: Sendable {
  private var replacements: [(path: String, name: String)] = []

  /// Returns a redactor that also replaces `path` with `name`, and paths inside it with their
  /// relative part.
  func redacting(_ path: String, as name: String) -> PathRedactor {
    guard !path.isEmpty, path != "/" else { return self }
    var redactor = self
    redactor.replacements.append((path, name))
    return redactor
  }

  /// Returns the text with all paths replaced.
  func redact(_ text: String) -> String {
    replacements.reduce(text) { Self.replacing($1.path, with: $1.name, in: $0) }
  }

  /// Replaces a path, and removes it from paths inside it; a longer name that begins with the path's
  /// last component is another path.
  private static func replacing(_ path: String, with name: String, in text: String) -> String {
    var result = "", rest = text[...]
    while let range = rest.firstRange(of: path) {
      result += rest[..<range.lowerBound]
      rest = rest[range.upperBound...]
      if rest.first == "/" {
        rest = rest.dropFirst()
      } else {
        result += continuesName(rest) ? path : name
      }
    }
    return result + rest
  }

  /// Whether the text after a path continues the name of its last component.
  ///
  /// A full stop may also end a sentence.
  private static func continuesName(_ text: Substring) -> Bool {
    let next = text.first == "." ? text.dropFirst().first : text.first
    return next.map { $0.isLetter || $0.isNumber || "-_".contains($0) } ?? false
  }
}
