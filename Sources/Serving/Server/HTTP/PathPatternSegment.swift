/// A segment of a route's path pattern.
///
/// `models` matches itself, `:name` any text, and `:name:predict` any text that ends with `:predict`.
struct PathPatternSegment: Sendable {
  /// The name of the parameter; `nil` if the segment matches one text.
  let parameter: String?
  /// The text that the segment matches, or the suffix of the parameter.
  let text: String

  /// Creates the segment from a pattern.
  init(_ pattern: Substring) {
    guard pattern.hasPrefix(":") else {
      (parameter, text) = (nil, String(pattern))
      return
    }
    let name = pattern.dropFirst().prefix { $0 != ":" }
    (parameter, text) = (String(name), String(pattern[name.endIndex...]))
  }

  /// Whether a segment of a path matches.
  func matches(_ segment: String) -> Bool {
    guard parameter != nil else { return segment == text }
    return text.isEmpty
      ? !segment.isEmpty : segment.hasSuffix(text) && segment.utf8.count > text.utf8.count
  }
}
