/// The part of a text before the first of some strings, of a text that arrives in pieces.
///
/// The filter holds back the longest end of the text that may begin a stop string, so a stop string is found across pieces and within
/// them. Of stop strings that begin at the same place, the longest one that the text has so far is found.
///
/// ```swift
/// var filter = StopStringFilter(["\n\nUser:"])
/// while filter.found == nil, let piece = next() { print(filter.append(piece), terminator: "") }
/// print(filter.finish())
/// ```
package struct StopStringFilter: Sendable {
  private let strings: [[UInt8]]
  /// The stop string that was found; no text follows then.
  package private(set) var found: String?
  /// The end of the text that may begin a stop string.
  private var held: [UInt8] = []

  /// Creates a filter; empty strings are ignored.
  package init(_ strings: [String]) {
    self.strings = strings.filter { !$0.isEmpty }.map { Array($0.utf8) }
  }

  /// Adds a piece of the text, and returns the text that is certainly not part of a stop string.
  package mutating func append(_ piece: String) -> String {
    guard found == nil else { return "" }
    let text = held + piece.utf8
    var end = text.count
    for start in text.indices {
      let rest = text[start...]
      let matches = strings.filter { rest.starts(with: $0) }
      if let string = matches.max(by: { $0.count < $1.count }) {
        found = String(decoding: string, as: UTF8.self)
        held = []
        return String(decoding: text[..<start], as: UTF8.self)
      }
      if end == text.count, strings.contains(where: { $0.starts(with: rest) }) { end = start }
    }
    held = Array(text[end...])
    return String(decoding: text[..<end], as: UTF8.self)
  }

  /// Returns the text that was held back, after the last piece.
  package mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }
}
