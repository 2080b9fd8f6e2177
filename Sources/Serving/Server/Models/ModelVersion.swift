/// The order of version strings: numbers in them compare as numbers.
///
/// `2` comes before `10`, `1.9` before `1.10`, and `2.0-beta` before `2.0`.
package struct ModelVersion: Comparable, Sendable {
  private enum Part: Comparable {
    /// A suffix such as `-beta`.
    case text(String)
    /// The end of a version that has fewer parts.
    case end
    case number(digitCount: Int, String)
  }

  private let parts: [Part]

  /// Parses a version, which may be any text.
  package init(_ text: String) {
    var parts: [Part] = []
    var rest = text.utf8[...]
    while let first = rest.first {
      let isNumber = first.isDigit
      let part = rest.prefix { $0.isDigit == isNumber && ($0 != 0x2E || isNumber) }
      rest = part.isEmpty ? rest.dropFirst() : rest.dropFirst(part.count)
      guard !part.isEmpty else { continue }
      let string = String(Substring(part))
      if isNumber {
        let digits = string.drop { $0 == "0" }
        parts.append(.number(digitCount: digits.count, String(digits)))
      } else {
        parts.append(.text(string))
      }
    }
    self.parts = parts + [.end]
  }

  package static func < (left: ModelVersion, right: ModelVersion) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
