/// Why a text is not the JSON that was asked for, and where.
public struct JSONError: Error, Sendable, Hashable {
  /// What kind of fault it is.
  public let code: Code
  /// Where the fault is.
  public let position: JSONPosition
  /// The value that was being read, as a JSON Pointer.
  public let pointer: String
  /// What should have been there.
  public let expected: String
  /// What is there.
  public let found: String
  /// What to do about it, where that is known.
  public let suggestion: String?

  /// A fault at a place.
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
  /// The fault in one line.
  public var description: String {
    let hint = suggestion.map { "; \($0)" } ?? ""
    return "\(position): expected \(expected), found \(found)\(hint)"
  }
}

extension JSONError {
  /// A fault of a value that is good JSON and yet not what was asked for.
  init(_ code: Code, at node: JSONNode, expected: String, found: String? = nil) {
    self.init(
      code, at: node.position, pointer: node.pointer, expected: expected,
      found: found ?? node.summary)
  }
}

extension JSONError {
  /// The kind of an error. Raw values are stable.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case emptyDocument = "empty-document"
    case tooLarge = "too-large"
    case tooDeep = "too-deep"
    case byteOrderMark = "byte-order-mark"
    case unexpectedCharacter = "unexpected-character"
    case unexpectedEnd = "unexpected-end"
    case unknownWord = "unknown-word"
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

/// A place in a text.
public struct JSONPosition: Sendable, Hashable {
  /// The byte, from 0.
  public let offset: Int
  /// The line, from 1.
  ///
  /// A line feed ends one.
  public let line: Int
  /// The column, from 1, counted in bytes.
  ///
  /// A byte order mark does not count.
  public let column: Int

  /// A place in a text.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  /// The place of a byte of a text.
  init(of offset: Int, in text: [UInt8]) {
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
  /// The line and column, as a person looks them up.
  public var description: String { "line \(line), column \(column)" }
}

/// The three bytes that some editors write before UTF-8 text.
package enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// How many bytes of a text are its mark.
  package static func length(in text: [UInt8]) -> Int {
    text.starts(with: bytes) ? bytes.count : 0
  }
}

/// The words of a JSON Pointer (RFC 6901).
package enum JSONPointer {
  /// A key as a pointer writes it.
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

  /// The key that a pointer writes.
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
