/// The target of a request line: the segments of a path, and query items.
///
/// Targets that different parsers could interpret differently are rejected: empty segments (`//`),
/// `.` and `..` in any encoding, and percent-encoded separators or control characters. A slash at
/// the end of a path has no meaning.
package struct RequestTarget: Sendable, Hashable {
  /// The decoded segments of the path; empty for `/`.
  package let pathSegments: [String]
  /// The decoded query items, in order.
  package let queryItems: [QueryItem]

  /// A query parameter.
  package struct QueryItem: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// Parses a target such as `/v2/models?top=3`; `nil` if it is invalid or ambiguous.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy(Self.isAllowed) else {
      return nil
    }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = Self.segments(parts[0].dropFirst()),
      let query = Self.queryItems(in: parts.count > 1 ? parts[1] : "")
    else { return nil }
    (self.pathSegments, self.queryItems) = (path, query)
  }

  /// Creates a target without query items.
  init(pathSegments: [String]) { (self.pathSegments, queryItems) = (pathSegments, []) }

  /// The last value of a query parameter.
  package subscript(name: String) -> String? { queryItems.last { $0.name == name }?.value }
}

// MARK: Parsing

extension RequestTarget {
  /// Whether the grammar of a target permits a byte; `#` is not sent by browsers.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !##""#<>\^`{|}"##.utf8.contains(byte)
  }

  private static func segments(_ text: some StringProtocol) -> [String]? {
    guard !text.isEmpty else { return [] }
    let path = text.hasSuffix("/") ? text.dropLast() : text[...]
    var segments: [String] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = segment(part), segment != "", segment != ".", segment != ".." else {
        return nil
      }
      segments.append(segment)
    }
    return segments
  }

  /// Returns a decoded segment; `nil` if it hides a separator or a control character.
  private static func segment(_ text: some StringProtocol) -> String? {
    // The allowed bytes are neither.
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    guard let segment = percentDecoded(text), !segment.contains("/"),
      segment.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return nil }
    return segment
  }

  private static func queryItems(in text: some StringProtocol) -> [QueryItem]? {
    var items: [QueryItem] = []
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(pair[0], plus: " "),
        let value = percentDecoded(pair.dropFirst().first ?? "", plus: " ")
      else { return nil }
      items.append(QueryItem(name: name, value: value))
    }
    return items
  }

  /// Returns the text with `%41` and the like decoded; `nil` if the result is not valid UTF-8.
  static func percentDecoded(
    _ text: some StringProtocol, plus: Unicode.Scalar = "+"
  ) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: plus) : byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigitValue,
        let low = rest.popFirst()?.hexDigitValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
