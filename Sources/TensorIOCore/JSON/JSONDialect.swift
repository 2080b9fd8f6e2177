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
  public static let description: JSONDialect = [.trailingCommas, .byteOrderMark]
  /// What people write into a document that they explain as they go.
  public static let annotated: JSONDialect = [
    .trailingCommas, .byteOrderMark, .comments, .trailingEllipsis,
  ]
}

/// A place where a document used a liberty of its dialect.
public struct JSONLiberty: Sendable, Hashable {
  /// Which liberty.
  public let kind: JSONDialect
  /// The byte at which it was used.
  public let offset: Int
}
