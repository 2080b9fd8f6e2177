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
