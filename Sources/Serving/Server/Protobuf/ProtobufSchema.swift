/// The messages, enumerations and services of one file of a protocol.
///
/// The same tables describe a protocol to clients that ask for it, and convert JSON to messages.
struct ProtobufFile: Sendable {
  /// A type of values that are not messages; the raw values are those of descriptors.
  enum Scalar: Int, Sendable {
    case double = 1
    case float = 2
    case int64 = 3
    case uint64 = 4
    case int32 = 5
    case bool = 8
    case string = 9
    case bytes = 12
    case uint32 = 13
  }

  /// The type of a field.
  indirect enum FieldType: Sendable {
    case scalar(Scalar)
    /// The full name of a message or enumeration.
    case named(String)
    case map(key: Scalar, value: FieldType)
  }

  /// A field of a message.
  struct Field: Sendable {
    let number: Int
    let name: String
    let type: FieldType
    let isRepeated: Bool
    /// The name of the group of fields, of which a message has at most one.
    let oneof: String?
  }

  /// A message; its name includes those of the messages around it, but not the package.
  struct Message: Sendable {
    let name: String
    var fields: [Field] = []
  }

  /// An enumeration, in the order of its values.
  struct Enumeration: Sendable {
    let name: String
    var values: [(name: String, number: Int)] = []
  }

  let name: String
  let package: String
  let dependencies: [String]
  private(set) var messages: [Message] = []
  private(set) var enumerations: [Enumeration] = []

  /// Reads the tables of a file.
  ///
  /// A line `message NAME` or `enum NAME` begins a table. The lines after it are fields, such as
  /// `4 map string InferParameter parameters`, `5 repeated int64 shape` or
  /// `1 bool bool_param | choice` for a field of a oneof, or values, such as `0 NONE`. Types with a
  /// leading dot are in other packages.
  init(_ name: String, package: String, dependencies: [String] = [], tables: String) {
    (self.name, self.package, self.dependencies) = (name, package, dependencies)
    for line in tables.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 1 else { continue }
      switch words[0] {
      case "message": messages.append(Message(name: words[1]))
      case "enum": enumerations.append(Enumeration(name: words[1]))
      default: add(words)
      }
      isEnumeration = words[0] == "enum" || words[0] != "message" && isEnumeration
    }
  }

  /// Whether the table that is being read is an enumeration.
  private var isEnumeration = false

  private mutating func add(_ words: [String]) {
    guard let number = Int(words[0]) else { return }
    if isEnumeration {
      enumerations[enumerations.count - 1].values.append((words[1], number))
      return
    }
    var rest = words.dropFirst()
    let isRepeated = rest.first == "repeated"
    if isRepeated { rest = rest.dropFirst() }
    let type: FieldType
    if rest.first == "map", rest.count > 3 {
      rest = rest.dropFirst()
      let key = Scalar(rest.removeFirst()) ?? .string
      type = .map(key: key, value: fieldType(rest.removeFirst()))
    } else {
      type = fieldType(rest.removeFirst())
    }
    guard let name = rest.first else { return }
    let oneof = rest.dropFirst().first == "|" ? rest.last : nil
    messages[messages.count - 1].fields.append(
      Field(number: number, name: name, type: type, isRepeated: isRepeated, oneof: oneof))
  }

  private func fieldType(_ word: String) -> FieldType {
    if let scalar = Scalar(word) { return .scalar(scalar) }
    return .named(word.hasPrefix(".") ? String(word.dropFirst()) : "\(package).\(word)")
  }
}

extension ProtobufFile.Scalar {
  fileprivate init?(_ name: String) {
    switch name {
    case "double": self = .double
    case "float": self = .float
    case "int64": self = .int64
    case "uint64": self = .uint64
    case "int32": self = .int32
    case "bool": self = .bool
    case "string": self = .string
    case "bytes": self = .bytes
    case "uint32": self = .uint32
    default: return nil
    }
  }
}

/// The files that a server knows, with the services that use them.
struct ProtobufSchema: Sendable {
  let files: [ProtobufFile]
  private let messages: [String: ProtobufFile.Message]
  private let enumerations: [String: [String: Int]]

  init(_ files: [ProtobufFile]) {
    self.files = files
    var messages: [String: ProtobufFile.Message] = [:]
    var enumerations: [String: [String: Int]] = [:]
    for file in files {
      for message in file.messages { messages["\(file.package).\(message.name)"] = message }
      for enumeration in file.enumerations {
        enumerations["\(file.package).\(enumeration.name)"] = Dictionary(
          enumeration.values.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
      }
    }
    (self.messages, self.enumerations) = (messages, enumerations)
  }

  /// Returns a message by its full name.
  func message(_ name: String) -> ProtobufFile.Message? { messages[name] }

  /// Returns the numbers of an enumeration's values by name; `nil` if there is no such enumeration.
  func enumeration(_ name: String) -> [String: Int]? { enumerations[name] }
}
