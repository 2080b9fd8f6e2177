/// A parsed JSON text.
///
/// The parser records the location of every value and rejects what RFC 8259 leaves undefined:
/// duplicate keys, lone surrogates and numbers that overflow a `Double`. Its run time is linear in
/// the size of the text, even for untrusted text: it does not recurse, and values are copied only
/// when accessed.
package struct JSONDocument: Sendable {
  let tape: JSONTape
  /// The uses of nonstandard syntax, in the order of the text.
  package let extensionUses: [JSONExtensionUse]

  /// Parses a text.
  ///
  /// - Parameters:
  ///   - bytes: The text in UTF-8.
  ///   - limits: The maximum size and depth.
  ///   - dialect: The nonstandard syntax to accept.
  ///   - isCanceled: Returns whether the text is not needed anymore. It is called every few milliseconds while the text
  ///     is parsed, and while the numbers of large arrays are read.
  /// - Throws: ``JSONError`` if the text is invalid or exceeds the limits, or is not needed anymore.
  package init(
    parsing bytes: [UInt8], limits: JSONLimits = .modelDescription, dialect: JSONDialect = .strict,
    isCanceled: @escaping @Sendable () -> Bool = { false }
  ) throws(JSONError) {
    var parser = JSONParser(bytes, limits: limits, dialect: dialect, isCanceled: isCanceled)
    try parser.parse()
    tape = JSONTape(bytes: bytes, entries: parser.entries, isCanceled: isCanceled)
    extensionUses = parser.extensionUses
  }

  /// Whether a text is a number.
  package static func isNumber(_ text: [UInt8]) -> Bool {
    if let (end, _) = JSONParser.plainNumber(in: text.span, from: 0), end == text.count {
      return true
    }
    return (try? JSONDocument(parsing: text))?.root.kind == .number
  }

  /// Returns a number of values that a text does not exceed, quickly and without parsing it.
  package static func maxValueCount(in text: ArraySlice<UInt8>) -> Int {
    // Each value but the first follows one of these. Those in strings count, too.
    let span = text.span
    var count = 1
    for index in span.indices {
      let byte = span[index]
      let separates =
        byte == ASCII.comma || byte == ASCII.colon || byte == ASCII.openBracket
        || byte == ASCII.openBrace
      count &+= separates ? 1 : 0
    }
    return count
  }

  /// The top-level value.
  package var root: JSONNode { JSONNode(tape: tape, index: 0) }

  /// Returns the position of a byte.
  package func position(of offset: Int) -> JSONPosition {
    JSONPosition(of: offset, in: tape.bytes)
  }

  /// Returns the innermost value at a byte.
  package func node(covering offset: Int) -> JSONNode {
    var node = root
    while let child = node.children.first(where: { $0.range.contains(offset) }) {
      node = child
    }
    return node
  }

  /// Returns the value at a JSON Pointer such as `/inputs/0/shape`, or `nil` if there is none.
  package func node(at pointer: String) -> JSONNode? {
    let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false)
    guard tokens.first?.isEmpty != false else { return nil }
    var node: JSONNode? = root
    for token in tokens.dropFirst() {
      node = node?.child(of: JSONPointer.unescape(token))
    }
    return node
  }
}

/// The nonstandard syntax accepted in addition to RFC 8259.
///
/// Every use is recorded in ``JSONDocument/extensionUses``.
package struct JSONDialect: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  package let rawValue: UInt8

  /// Creates a set from bits.
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A comma before a closing bracket.
  package static let trailingCommas = JSONDialect(rawValue: 1)
  /// A byte order mark at the beginning of the text.
  package static let byteOrderMark = JSONDialect(rawValue: 2)
  /// Comments: `// …` to the end of the line, and `/* … */`.
  package static let comments = JSONDialect(rawValue: 4)
  /// Three dots after the value, which denote an omission in documentation.
  package static let trailingEllipsis = JSONDialect(rawValue: 8)

  /// Strict RFC 8259, for machine-written data.
  package static let strict: JSONDialect = []
  /// The dialect of `model.json`.
  package static let modelDescription: JSONDialect = [.trailingCommas, .byteOrderMark]
  /// All nonstandard syntax, for examples in documentation.
  package static let lenient: JSONDialect = [
    .trailingCommas, .byteOrderMark, .comments, .trailingEllipsis,
  ]
}

/// A use of nonstandard syntax in a document.
package struct JSONExtensionUse: Sendable, Hashable {
  /// The kind of syntax.
  package let kind: JSONDialect
  /// The byte offset in the text.
  package let offset: Int
}

/// The maximum size and depth of a document.
package struct JSONLimits: Sendable, Hashable {
  /// The maximum size in bytes.
  package let bytes: Int
  /// The maximum depth of nested arrays and objects.
  package let depth: Int

  /// The maximum size of a `model.json` in bytes.
  package static let maxDescriptionBytes = 1 << 20
  /// The maximum depth of any document.
  package static let maxDepth = 64
  /// The maximum size of any document in bytes, so that offsets and counts fit the tape.
  package static let maxBytes = 1 << 28 - 1

  /// Creates limits, clamped to those of any document.
  package init(bytes: Int, depth: Int = JSONLimits.maxDepth) {
    self.bytes = min(bytes, JSONLimits.maxBytes)
    self.depth = min(depth, JSONLimits.maxDepth)
  }

  /// The limits of a `model.json`.
  package static let modelDescription = JSONLimits(bytes: maxDescriptionBytes)
}
