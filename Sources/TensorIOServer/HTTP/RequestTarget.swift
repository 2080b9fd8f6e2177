/// What a request's first line asks for: the words of a path, and what stands behind the `?`.
///
/// A path that could mean two things to two readers has no target: empty words (`//`), `.` and `..`
/// in whatever spelling, and encoded separators or control characters are refused.
package struct RequestTarget: Sendable, Hashable {
  /// The path's words, decoded; none for `/`.
  package let pathSegments: [String]
  /// What stands behind the `?`, in its order, decoded.
  package let queryItems: [QueryItem]

  /// A word behind the `?`, and its value.
  package struct QueryItem: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// The target of a line such as `/v2/models?top=3`; `nil` when it is none, or ambiguous.
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

  /// The last value of a name behind the `?`.
  package subscript(name: String) -> String? { queryItems.last { $0.name == name }?.value }
}

// MARK: Reading

extension RequestTarget {
  /// What the grammar of a target has, and not the `#` that a browser keeps for itself.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !##""#<>\^`{|}"##.utf8.contains(byte)
  }

  private static func segments(_ text: some StringProtocol) -> [String]? {
    guard !text.isEmpty else { return [] }
    var words: [String] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let word = percentDecoded(part), !["", ".", ".."].contains(word), !word.contains("/"),
        word.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
      else { return nil }
      words.append(word)
    }
    return words
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

  /// The text with its `%41` as characters; `nil` when they are no UTF-8.
  private static func percentDecoded(
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
  /// What a digit such as `f` stands for.
  var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
