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
  package init?(_ text: some StringProtocol) { self.init(Array(text.utf8)[...]) }

  /// Parses the bytes of a target; `nil` if it is invalid or ambiguous.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.first == .slash, bytes.allSatisfy(Self.isAllowed) else { return nil }
    let end = bytes.firstIndex(of: .questionMark) ?? bytes.endIndex
    guard let path = Self.segments(bytes[..<end].dropFirst()),
      let query = Self.queryItems(in: bytes[end...].dropFirst())
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
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "\\"),
      UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      false
    default: byte > 0x20 && byte < 0x7F
    }
  }

  private static func segments(_ path: ArraySlice<UInt8>) -> [String]? {
    var segments: [String] = []
    var rest = path.last == .slash ? path.dropLast() : path
    guard !path.isEmpty else { return [] }
    while true {
      let end = rest.firstIndex(of: .slash) ?? rest.endIndex
      guard let segment = segment(rest[..<end]), !["", ".", ".."].contains(segment) else {
        return nil
      }
      segments.append(segment)
      guard end < rest.endIndex else { return segments }
      rest = rest[(end + 1)...]
    }
  }

  /// Returns a decoded segment; `nil` if it hides a separator or a control character.
  private static func segment(_ bytes: ArraySlice<UInt8>) -> String? {
    // The allowed bytes are neither.
    guard bytes.contains(.percent) else { return bytes.utf8Text }
    guard let segment = percentDecoded(bytes), !segment.contains("/"),
      segment.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { return nil }
    return segment
  }

  private static func queryItems(in bytes: ArraySlice<UInt8>) -> [QueryItem]? {
    var items: [QueryItem] = []
    for part in bytes.split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard let name = percentDecoded(part[..<end], plus: " "),
        let value = percentDecoded(part[end...].dropFirst(), plus: " ")
      else { return nil }
      items.append(QueryItem(name: name, value: value))
    }
    return items
  }

  /// Returns the text with `%41` and the like decoded; `nil` if the result is not valid UTF-8.
  static func percentDecoded(
    _ text: ArraySlice<UInt8>, plus: Unicode.Scalar = "+"
  ) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == .percent else {
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
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let questionMark = UInt8(ascii: "?")
  fileprivate static let percent = UInt8(ascii: "%")

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
