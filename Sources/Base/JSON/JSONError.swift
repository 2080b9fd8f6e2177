/// An error in a JSON text, with its location.
public struct JSONError: Error, Sendable, Hashable {
  /// The kind of error.
  public let code: Code
  /// The position of the error.
  public let position: JSONPosition
  /// The value being parsed, as a JSON Pointer.
  public let pointer: String
  /// The expected syntax or value.
  public let expected: String
  /// The syntax or value found.
  public let found: String
  /// The suggested correction, if any.
  public let suggestion: String?

  /// Creates an error.
  public init(
    _ code: Code, at position: JSONPosition, pointer: String, expected: String,
    found: String, suggestion: String? = nil
  ) {
    self.code = code
    self.position = position
    self.pointer = pointer
    self.expected = expected
    self.found = found
    self.suggestion = suggestion
  }
}

extension JSONError: CustomStringConvertible {
  /// The error on one line.
  public var description: String {
    let hint = suggestion.map { "; \($0)" } ?? ""
    return "\(position): expected \(expected), found \(found)\(hint)"
  }
}

extension JSONError {
  /// Creates an error for a valid JSON value that is not the expected one.
  init(_ code: Code, at node: JSONNode, expected: String, found: String? = nil) {
    self.init(
      code, at: node.position, pointer: node.pointer, expected: expected,
      found: found ?? node.summary)
  }
}

extension JSONError {
  /// The kind of an error.
  ///
  /// Raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case emptyDocument = "empty-document"
    case tooLarge = "too-large"
    case tooDeep = "too-deep"
    case byteOrderMark = "byte-order-mark"
    case unexpectedCharacter = "unexpected-character"
    case unexpectedEnd = "unexpected-end"
    case unknownLiteral = "unknown-literal"
    case comment
    case trailingComma = "trailing-comma"
    case trailingContent = "trailing-content"
    case duplicateKey = "duplicate-key"
    case unterminatedString = "unterminated-string"
    case invalidEscape = "invalid-escape"
    case loneSurrogate = "lone-surrogate"
    case nulCharacter = "nul-character"
    case controlCharacter = "control-character"
    case invalidUTF8 = "invalid-utf8"
    case invalidNumber = "invalid-number"
    case notFinite = "not-finite"
    case numberOverflow = "number-overflow"
    case wrongType = "wrong-type"
    case notAnInteger = "not-an-integer"
    case raggedArray = "ragged-array"
    case unknownKey = "unknown-key"
    case missingKey = "missing-key"
  }
}

/// A position in a text.
public struct JSONPosition: Sendable, Hashable {
  /// The byte offset, from 0.
  public let offset: Int
  /// The line, from 1; lines end with a line feed.
  public let line: Int
  /// The column in bytes, from 1; a byte order mark does not count.
  public let column: Int

  /// Creates a position.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// Computes the position of a byte in a text.
  package init(of offset: Int, in text: [UInt8]) {
    let bytes = text.span
    var line = 1
    var lineStart = ByteOrderMark.length(in: text)
    for index in 0..<min(offset, bytes.count) where bytes[index] == ASCII.lineFeed {
      line += 1
      lineStart = index + 1
    }
    self.init(offset: offset, line: line, column: max(offset - lineStart, 0) + 1)
  }
}

extension JSONPosition: CustomStringConvertible {
  /// The line and column.
  public var description: String { "line \(line), column \(column)" }
}

/// The UTF-8 byte order mark.
package enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the length of the byte order mark in a text: 3 or 0.
  package static func length(in text: [UInt8]) -> Int {
    text.starts(with: bytes) ? bytes.count : 0
  }
}

/// Escaping of JSON Pointer tokens (RFC 6901).
package enum JSONPointer {
  /// Returns a key escaped for use in a pointer.
  package static func escape(_ key: String) -> String {
    guard key.utf8.contains(where: { $0 == tilde || $0 == ASCII.slash }) else { return key }
    return String(
      decoding: key.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case tilde: [tilde, ASCII.zero]
        case ASCII.slash: [tilde, ASCII.zero + 1]
        default: [byte]
        }
      }, as: UTF8.self)
  }

  /// Returns the key for an escaped token.
  static func unescape(_ token: Substring) -> String {
    var key = ""
    var isEscape = false
    for character in token.unicodeScalars {
      switch (isEscape, character) {
      case (true, "1"): key.append("/")
      case (true, "0"): key.append("~")
      case (true, let other): key.unicodeScalars.append(contentsOf: ["~", other])
      case (false, "~"): break
      case (false, let other): key.unicodeScalars.append(other)
      }
      isEscape = !isEscape && character == "~"
    }
    return isEscape ? key + "~" : key
  }

  private static let tilde = UInt8(ascii: "~")
}
