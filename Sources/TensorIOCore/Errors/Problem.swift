/// One thing that is wrong, or doubtful, about a description, and where.
public struct Problem: Sendable, Hashable {
  /// Whether a problem keeps a bundle from being opened.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  /// Whether it keeps the bundle from being opened.
  public let severity: Severity
  /// A short name that scripts may compare, such as `unknown-standard`.
  public let code: String
  /// The number that the original library gave this kind of problem.
  public var original: Int?
  /// Where in the document, as a JSON Pointer such as `/inputs/0/shape`.
  public var path: String
  /// The line, from 1, where the problem is in a text.
  public var line: Int?
  /// The column, from 1, counted in bytes.
  public var column: Int?
  /// What should have been there.
  public var expected: String?
  /// What is there.
  public var found: String?
  /// What is wrong, in a sentence.
  public let message: String
  /// What to do about it.
  public var suggestion: String?

  /// A problem at a place.
  public init(
    _ severity: Severity, code: String, path: String, line: Int? = nil, column: Int? = nil,
    expected: String? = nil, found: String? = nil, message: String, suggestion: String? = nil,
    original: Int? = nil
  ) {
    self.severity = severity
    self.code = code
    self.path = path
    self.line = line
    self.column = column
    self.expected = expected
    self.found = found
    self.message = message
    self.suggestion = suggestion
    self.original = original
  }
}

extension Problem {
  /// Whether it only tells that a description uses a documented extension of the original's
  /// format, which is no fault.
  package var isExtension: Bool { ProblemCode(rawValue: code)?.isExtension ?? false }
}
