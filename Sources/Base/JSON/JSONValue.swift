/// A JSON value of any type.
///
/// The library uses it for what it passes on without knowing its type, such as the settings of a task
/// or the values of an example. Write it as a literal:
///
/// ```swift
/// import TensorIO
///
/// var task = TaskDescription(type: "detection")
/// task.settings = ["threshold": 0.5, "allow": ["person", "dog"]]
/// ```
public enum JSONValue: Sendable, Hashable {
  /// A member of an object.
  public struct Member: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// Creates a member.
    public init(_ key: String, _ value: JSONValue) {
      (self.key, self.value) = (key, value)
    }
  }

  case null
  case bool(Bool)
  /// A number without fraction and exponent that fits in 64 bits.
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  /// The members in the order of the text.
  case object([Member])
}

extension JSONValue {
  /// Creates a list of strings.
  package static func strings(_ texts: [String]) -> JSONValue {
    .array(texts.map(JSONValue.string))
  }

  /// The string; `nil` for other values.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean; `nil` for other values.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number; `nil` for other values.
  public var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// The integer; `nil` for other values, and for numbers with a fraction or an exponent.
  public var int: Int? { if case .integer(let number) = self { Int(exactly: number) } else { nil } }

  /// The elements of an array; `nil` for other values.
  public var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

  /// The members of an object; `nil` for other values.
  public var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The value of a member; `nil` if there is none.
  public subscript(key: String) -> JSONValue? { members?.first { $0.key == key }?.value }

  /// The value as compact JSON text.
  public var text: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.string
  }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map(Member.init))
  }
}

extension JSONNode {
  /// The value without its position; numbers that are no 64-bit integers become the nearest `Double`.
  package var value: JSONValue {
    switch kind {
    case .null: .null
    case .boolean: .bool(bool ?? false)
    case .number: int.map(JSONValue.integer) ?? .number(double ?? 0)
    case .string: .string(string ?? "")
    case .array: .array((elements.map(Array.init) ?? []).map(\.value))
    case .object:
      .object((members.map(Array.init) ?? []).map { JSONValue.Member($0.name, $0.value.value) })
    }
  }
}

extension JSONWriter {
  /// Writes a value.
  package mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let number): self.value(number)
    // Keeps the fraction of an integral number, so that the value reads back as a number.
    case .number(let number): number.isFinite ? rawJSON(number.description.utf8) : null()
    case .string(let text): self.value(text)
    case .array(let values): array { writer in values.forEach { writer.value($0) } }
    case .object(let members): object { writer in members.forEach { writer.member($0) } }
    }
  }

  /// Writes a member of an object.
  package mutating func member(_ member: JSONValue.Member) {
    key(member.key)
    value(member.value)
  }
}

extension JSONNode {
  /// The value as compact strict JSON; numbers keep their source text.
  package var compactJSON: String {
    var writer = JSONWriter()
    writer.value(self)
    return writer.string
  }

  /// Parses a JSON text, or returns `nil` if it is invalid.
  package init?(compactJSON text: String) {
    guard let document = try? JSONDocument(parsing: Array(text.utf8)) else { return nil }
    self = document.root
  }
}
