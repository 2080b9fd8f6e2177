import Foundation

/// A JSON document parsed by Foundation, for verifying the project's output and for test cases.
public enum JSONTree: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  /// Parses a document.
  public init(_ text: String) throws {
    self = try JSONTree(Data(text.utf8))
  }

  /// Parses a document.
  init(_ data: Data) throws {
    self = try JSONDecoder().decode(JSONTree.self, from: data)
  }

  /// Parses a file.
  public init(contentsOf path: String) throws {
    self = try JSONTree(Data(contentsOf: URL(filePath: path)))
  }
}

extension JSONTree: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }
}

extension JSONTree {
  /// The member of an object.
  public subscript(key: String) -> JSONTree? { object?[key] }
  /// The element of an array.
  public subscript(index: Int) -> JSONTree? {
    guard let array, array.indices.contains(index) else { return nil }
    return array[index]
  }

  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  public var array: [JSONTree]? { if case .array(let value) = self { value } else { nil } }
  public var object: [String: JSONTree]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// The elements of an array of numbers, or `nil` for any other value.
  public var numbers: [Double]? {
    guard let array else { return nil }
    let numbers = array.compactMap(\.number)
    return numbers.count == array.count ? numbers : nil
  }

  /// The document as text.
  public var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): Int(exactly: value).map { "\($0)" } ?? "\(value)"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0)):\($1.text)" }
        .joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let data = (try? JSONEncoder().encode(text)) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}
