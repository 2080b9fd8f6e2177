/// A JSON text that has been read.
///
/// The reader knows the place of every value, refuses what RFC 8259 leaves open (duplicate keys,
/// lone surrogates, numbers too large for a `Double`) and does work in proportion to the text,
/// however hostile it is: it does not recurse, and copies nothing until a value is asked for.
public struct JSONDocument: Sendable {
  let tape: JSONTape
  /// Where the text used a liberty of its dialect, in the order of the text.
  public let extensionUses: [JSONExtensionUse]

  /// Reads a text, all of it.
  public init(
    parsing bytes: [UInt8], limits: JSONLimits = .modelDescription, dialect: JSONDialect = .strict
  ) throws(JSONError) {
    var parser = JSONParser(bytes, limits: limits, dialect: dialect)
    try parser.parse()
    tape = JSONTape(bytes: bytes, entries: parser.entries)
    extensionUses = parser.extensionUses
  }

  /// The value of the text.
  public var root: JSONNode { JSONNode(tape: tape, index: 0) }

  /// The place of a byte.
  public func position(of offset: Int) -> JSONPosition {
    JSONPosition(of: offset, in: tape.bytes)
  }

  /// The innermost value that covers a byte.
  public func node(covering offset: Int) -> JSONNode {
    var node = root
    while let child = node.children.first(where: { $0.range.contains(offset) }) {
      node = child
    }
    return node
  }

  /// The value at a JSON Pointer, such as `/inputs/0/shape`.
  public func node(at pointer: String) -> JSONNode? {
    let tokens = pointer.split(separator: "/", omittingEmptySubsequences: false)
    guard tokens.first?.isEmpty != false else { return nil }
    var node: JSONNode? = root
    for token in tokens.dropFirst() {
      node = node?.child(of: JSONPointer.unescape(token))
    }
    return node
  }
}

/// What a document may hold beyond RFC 8259.
///
/// Every use of a liberty is recorded.
public struct JSONDialect: OptionSet, Sendable, Hashable {
  /// The liberties as bits.
  public let rawValue: UInt8

  /// A set of liberties.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A comma before a closing bracket, as in most examples of the format's own documents.
  public static let trailingCommas = JSONDialect(rawValue: 1)
  /// The mark that some editors write before UTF-8 text.
  public static let byteOrderMark = JSONDialect(rawValue: 2)
  /// `// …` to the end of the line, and `/* … */`.
  public static let comments = JSONDialect(rawValue: 4)
  /// Three dots after the value, as documents write where they leave something out.
  public static let trailingEllipsis = JSONDialect(rawValue: 8)

  /// RFC 8259 to the letter, for data from programs.
  public static let strict: JSONDialect = []
  /// What people write into a `model.json`.
  public static let modelDescription: JSONDialect = [.trailingCommas, .byteOrderMark]
  /// What people write into a document that they explain as they go.
  public static let lenient: JSONDialect = [
    .trailingCommas, .byteOrderMark, .comments, .trailingEllipsis,
  ]
}

/// A place where a document used a liberty of its dialect.
public struct JSONExtensionUse: Sendable, Hashable {
  /// Which liberty.
  public let kind: JSONDialect
  /// The byte at which it was used.
  public let offset: Int
}

/// How large and how deep a document may be.
public struct JSONLimits: Sendable, Hashable {
  /// How many bytes it may have.
  public let bytes: Int
  /// How many arrays and objects may be open at once.
  public let depth: Int

  /// The bytes that a `model.json` may have: the largest known one has two thousand.
  public static let maxDescriptionBytes = 1 << 20
  /// The depth that any document may have.
  public static let maxDepth = 64
  /// The bytes that any document may have, so that offsets and counts fit the tape.
  public static let maxBytes = 1 << 28 - 1

  /// Limits of a caller's own, within those that hold for any document.
  public init(bytes: Int, depth: Int = JSONLimits.maxDepth) {
    self.bytes = min(bytes, JSONLimits.maxBytes)
    self.depth = min(depth, JSONLimits.maxDepth)
  }

  /// The limits of a `model.json`.
  public static let modelDescription = JSONLimits(bytes: maxDescriptionBytes)
}
