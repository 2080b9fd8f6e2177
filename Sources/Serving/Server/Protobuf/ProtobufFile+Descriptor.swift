import TensorIOCore

extension ProtobufFile {
  /// Returns the `FileDescriptorProto` of the file with services whose methods use it.
  func descriptor(_ services: [GRPCService]) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, name)
    writer.string(2, package)
    for dependency in dependencies { writer.bytes(3, dependency.utf8) }
    for message in messages where !message.name.contains(".") { write(message, 4, to: &writer) }
    for enumeration in enumerations where !enumeration.name.contains(".") {
      Self.write(enumeration, 5, to: &writer)
    }
    for service in services { Self.write(service, to: &writer) }
    writer.string(12, "proto3")
    return writer.bytes
  }

  /// The full names of the messages and enumerations.
  var symbols: [String] {
    messages.map { "\(package).\($0.name)" } + enumerations.map { "\(package).\($0.name)" }
  }

  private func write(_ message: Message, _ number: Int, to writer: inout ProtobufWriter) {
    let oneofs = message.fields.compactMap(\.oneof).uniqued
    writer.message(number) { writer in
      writer.string(1, message.name.lastComponent)
      for field in message.fields { write(field, of: message, oneofs, to: &writer) }
      for nested in messages where nested.name.parent == message.name {
        write(nested, 3, to: &writer)
      }
      for field in message.fields {
        if case .map(let key, let value) = field.type {
          Self.write(entry: field, key, value, to: &writer)
        }
      }
      for nested in enumerations where nested.name.parent == message.name {
        Self.write(nested, 4, to: &writer)
      }
      for oneof in oneofs { writer.message(8) { $0.string(1, oneof) } }
    }
  }

  private func write(
    _ field: Field, of message: Message, _ oneofs: [String], to writer: inout ProtobufWriter
  ) {
    var (type, isRepeated) = (field.type, field.isRepeated)
    if case .map = type {
      (type, isRepeated) = (.named("\(package).\(message.name).\(field.entryName)"), true)
    }
    Self.write(
      field.name, field.number, type, isRepeated: isRepeated,
      oneof: field.oneof.flatMap { oneofs.firstIndex(of: $0) }, to: &writer)
  }

  private static func write(
    _ name: String, _ number: Int, _ type: FieldType, isRepeated: Bool, oneof: Int? = nil,
    to writer: inout ProtobufWriter
  ) {
    let (optionalLabel, repeatedLabel): (UInt64, UInt64) = (1, 3)
    writer.message(2) { writer in
      writer.string(1, name)
      writer.varint(3, UInt64(number))
      writer.varint(4, isRepeated ? repeatedLabel : optionalLabel)
      switch type {
      case .scalar(let scalar): writer.varint(5, UInt64(scalar.rawValue))
      case .named(let name):
        let (messageType, enumerationType): (UInt64, UInt64) = (11, 14)
        writer.varint(
          5, ProtobufSchema.standard.enumeration(name) == nil ? messageType : enumerationType)
        writer.string(6, "." + name)
      case .map: break
      }
      if let oneof { writer.varint(9, UInt64(oneof)) }
      writer.string(10, name.jsonName)
    }
  }

  /// Writes the message that represents the entries of a map.
  private static func write(
    entry field: Field, _ key: Scalar, _ value: FieldType, to writer: inout ProtobufWriter
  ) {
    writer.message(3) { writer in
      writer.string(1, field.entryName)
      write("key", 1, .scalar(key), isRepeated: false, to: &writer)
      write("value", 2, value, isRepeated: false, to: &writer)
      writer.message(7) { $0.bool(7, true) }
    }
  }

  private static func write(
    _ enumeration: Enumeration, _ number: Int, to writer: inout ProtobufWriter
  ) {
    writer.message(number) { writer in
      writer.string(1, enumeration.name.lastComponent)
      for value in enumeration.values {
        writer.message(2) { writer in
          writer.string(1, value.name)
          writer.varint(2, UInt64(value.number))
        }
      }
    }
  }

  private static func write(_ service: GRPCService, to writer: inout ProtobufWriter) {
    writer.message(6) { writer in
      writer.string(1, service.name.lastComponent)
      for method in service.methods {
        writer.message(2) { writer in
          writer.string(1, method.name)
          writer.string(2, "." + method.input)
          writer.string(3, "." + method.output)
          switch method.kind {
          case .unary: break
          case .exchange:
            writer.bool(5, true)
            writer.bool(6, true)
          case .watch: writer.bool(6, true)
          }
        }
      }
    }
  }
}

extension ProtobufFile.Field {
  /// The name of the message that represents an entry of a map.
  fileprivate var entryName: String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      + "Entry"
  }
}

extension String {
  /// The part after the last dot.
  var lastComponent: String {
    lastIndex(of: ".").map { String(self[index(after: $0)...]) } ?? self
  }

  /// The part before the last dot; `nil` without one.
  fileprivate var parent: String? { lastIndex(of: ".").map { String(self[..<$0]) } }

  /// The name of a field in protobuf's JSON.
  fileprivate var jsonName: String {
    let words = split(separator: "_")
    return words.prefix(1).joined()
      + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension [String] {
  /// The elements without repetitions, in order.
  fileprivate var uniqued: [String] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
