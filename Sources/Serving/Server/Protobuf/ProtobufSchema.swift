import TensorIOCore

/// The messages, enumerations and services of one file of a protocol.
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
  }

  /// A message and its full name.
  struct Message: Sendable {
    let name: String
    let fields: [Field]
  }

  /// An enumeration and its full name, with the numbers of its values by name.
  struct Enumeration: Sendable {
    let name: String
    let values: [String: Int]
  }

  /// A service: its full name and the names of its methods.
  struct Service: Sendable {
    let name: String
    let methods: [String]
  }

  let name: String
  /// The names of the files that it imports.
  let dependencies: [String]
  var messages: [Message] = []
  var enumerations: [Enumeration] = []
  let services: [Service]
  /// The `FileDescriptorProto` from which the others were read.
  let descriptor: [UInt8]

  /// The full names of the messages, enumerations, services and methods.
  var symbols: [String] {
    messages.map(\.name) + enumerations.map(\.name)
      + services.flatMap { service in
        [service.name] + service.methods.map { "\(service.name).\($0)" }
      }
  }
}

/// The files of a descriptor set, which describe a protocol to clients, and by which JSON is converted to messages.
struct ProtobufSchema: Sendable {
  let files: [ProtobufFile]
  private let messages: [String: ProtobufFile.Message]
  private let enumerations: [String: [String: Int]]
  private let filesBySymbol: [String: ProtobufFile]

  /// The messages of all services of this server.
  static let standard: ProtobufSchema = {
    do throws(ProtobufError) {
      return try ProtobufSchema(descriptorSet: EmbeddedDescriptors.bytes())
    } catch {
      preconditionFailure("the embedded descriptors are malformed: \(error.rawValue)")
    }
  }()

  /// Reads a `FileDescriptorSet`.
  ///
  /// - Throws: ``ProtobufError`` if it is malformed, or has a field of a type that this server does not write.
  init(descriptorSet: [UInt8]) throws(ProtobufError) {
    files = try ProtobufMessage(descriptorSet).messages(1).map {
      (file) throws(ProtobufError) in try ProtobufFile(file)
    }
    messages = Dictionary(
      files.flatMap(\.messages).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    enumerations = Dictionary(
      files.flatMap(\.enumerations).map { ($0.name, $0.values) },
      uniquingKeysWith: { first, _ in first })
    filesBySymbol = Dictionary(
      files.flatMap { file in file.symbols.map { ($0, file) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the file with a message, an enumeration, a service or a method, by its full name.
  func file(declaring symbol: String) -> ProtobufFile? { filesBySymbol[symbol] }

  /// Returns a message by its full name.
  func message(_ name: String) -> ProtobufFile.Message? { messages[name] }

  /// Returns the numbers of an enumeration's values by name; `nil` if there is no such enumeration.
  func enumeration(_ name: String) -> [String: Int]? { enumerations[name] }
}
