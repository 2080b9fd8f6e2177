/// Why a text is not the JSON that was asked for, and where.
public struct JSONError: Error, Sendable, Hashable {
  /// What kind of fault it is.
  public let code: ProblemCode
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
    _ code: ProblemCode, at position: JSONPosition, pointer: String, expected: String,
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
  init(_ code: ProblemCode, at node: JSONNode, expected: String, found: String? = nil) {
    self.init(
      code, at: node.position, pointer: node.pointer, expected: expected,
      found: found ?? node.summary)
  }
}
