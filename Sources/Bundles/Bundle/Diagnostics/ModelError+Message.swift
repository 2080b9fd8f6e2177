public import TensorIOJSON

extension ModelError {
  /// The message of an error, whose values are kept by name.
  ///
  /// A value with a name is part of the text and of ``ModelError/details``:
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let message: ModelError.Message = "expected \(3, as: "expected") values, got \(4, as: "actual")"
  /// ```
  public struct Message: Sendable, Hashable {
    /// The text.
    public let text: String
    /// The values with names, in the order of the text.
    public let details: [JSONValue.Member]

    /// Creates a message from a text without named values.
    public init(_ text: String) {
      (self.text, details) = (text, [])
    }

    package init(_ text: String, details: [JSONValue.Member]) {
      (self.text, self.details) = (text, details)
    }
  }
}

extension ModelError.Message {
  /// Returns the concatenation of two messages, with the named values of both.
  public static func + (first: Self, second: Self) -> Self {
    Self(first.text + second.text, details: first.details + second.details)
  }
}

extension ModelError.Message: ExpressibleByStringInterpolation {
  /// Creates a message from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a message from a literal with values.
  public init(stringInterpolation: StringInterpolation) {
    self.init(stringInterpolation.text, details: stringInterpolation.details)
  }

  /// The text and the named values of a literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    var text = ""
    var details: [JSONValue.Member] = []

    /// Creates an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    /// Appends a part of the literal.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value without a name.
    public mutating func appendInterpolation(_ value: some Any) { text += "\(value)" }

    /// Appends a text, and keeps it by name.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible, as name: String)
    {
      text += value.description
      details.append(.init(name, .string(value.description)))
    }

    /// Appends a number, and keeps it by name.
    public mutating func appendInterpolation(_ value: Int, as name: String) {
      text += value.description
      details.append(.init(name, .integer(Int64(value))))
    }

    /// Appends a number, and keeps it by name.
    public mutating func appendInterpolation(_ value: Double, as name: String) {
      text += value.description
      details.append(.init(name, .number(value)))
    }

    /// Appends names in quotation marks, or `none`, and keeps them by name.
    public mutating func appendInterpolation(_ names: [String], as name: String) {
      text += names.quotedList
      details.append(.init(name, .strings(names)))
    }
  }
}

extension ModelError.Message {
  /// Returns the first of several diagnostics, and the number of the others.
  static func first(of diagnostics: [Diagnostic], _ fallback: String) -> Self {
    guard let first = diagnostics.first else { return Self(fallback) }
    let others = diagnostics.count - 1
    return Self(first.description + (others > 0 ? " (and \(others) more)" : ""))
  }
}

extension [String] {
  /// The names in quotation marks, or `none`.
  package var quotedList: String {
    isEmpty ? "none" : map { "'\($0)'" }.joined(separator: ", ")
  }
}
