import TensorIOCore

// The numbers of the fields are those of google/protobuf/descriptor.proto.
extension ProtobufFile {
  /// Reads a `FileDescriptorProto`.
  init(_ file: ProtobufMessage) throws(ProtobufError) {
    let package = try file.string(2)
    let services = try file.messages(6).map { (service) throws(ProtobufError) in
      Service(
        name: "\(package).\(try service.string(1))",
        methods: try service.messages(2).map { (method) throws(ProtobufError) in
          try method.string(1)
        })
    }
    self.init(
      name: try file.string(1), dependencies: try file.strings(3), services: services,
      descriptor: Array(file.contents))
    for message in try file.messages(4) { try add(message, in: package) }
    for enumeration in try file.messages(5) { try add(enumeration: enumeration, in: package) }
  }

  /// Reads a `DescriptorProto` with the messages and enumerations in it.
  private mutating func add(
    _ message: ProtobufMessage, in scope: String
  ) throws(ProtobufError) {
    let name = "\(scope).\(try message.string(1))"
    // The entries of a map are messages with a key and a value.
    var maps: [String: FieldType] = [:]
    for nested in try message.messages(3) {
      guard try nested.messages(7).last?.integer(7) == 1 else {
        try add(nested, in: name)
        continue
      }
      let fields = try nested.messages(2).map { (field) throws(ProtobufError) in
        try Field(field, maps: [:])
      }
      guard fields.count == 2, case .scalar(let key) = fields[0].type else {
        throw .unexpectedWireType
      }
      maps["\(name).\(try nested.string(1))"] = .map(key: key, value: fields[1].type)
    }
    let fields = try message.messages(2).map { (field) throws(ProtobufError) in
      try Field(field, maps: maps)
    }
    messages.append(Message(name: name, fields: fields))
    for nested in try message.messages(4) { try add(enumeration: nested, in: name) }
  }

  /// Reads an `EnumDescriptorProto`.
  private mutating func add(
    enumeration: ProtobufMessage, in scope: String
  ) throws(ProtobufError) {
    var values: [String: Int] = [:]
    for value in try enumeration.messages(2) { values[try value.string(1)] = try value.integer(2) }
    enumerations.append(
      Enumeration(name: "\(scope).\(try enumeration.string(1))", values: values))
  }
}

extension ProtobufFile.Field {
  /// Reads a `FieldDescriptorProto`; `maps` has the types of maps by the full names of their entries.
  fileprivate init(
    _ field: ProtobufMessage, maps: [String: ProtobufFile.FieldType]
  ) throws(ProtobufError) {
    (name, number) = (try field.string(1), try field.integer(3))
    let (repeatedLabel, messageType, enumerationType) = (3, 11, 14)
    let hasRepeatedLabel = try field.integer(4) == repeatedLabel
    let typeNumber = try field.integer(5)
    if typeNumber == messageType || typeNumber == enumerationType {
      // The name begins with a dot.
      let typeName = String(try field.string(6).dropFirst())
      type = maps[typeName] ?? .named(typeName)
      isRepeated = hasRepeatedLabel && maps[typeName] == nil
    } else {
      guard let scalar = ProtobufFile.Scalar(rawValue: typeNumber) else {
        throw .unexpectedWireType
      }
      (type, isRepeated) = (.scalar(scalar), hasRepeatedLabel)
    }
  }
}

extension ProtobufMessage {
  /// Returns the occurrences of a field.
  private func values(_ number: UInt64) throws(ProtobufError) -> [ProtobufValue] {
    var values: [ProtobufValue] = []
    try forEachField { (field, value) throws(ProtobufError) in
      if field == number { values.append(value) }
    }
    return values
  }

  /// Returns the messages of a repeated field.
  func messages(_ number: UInt64) throws(ProtobufError) -> [ProtobufMessage] {
    try values(number).map { (value) throws(ProtobufError) in try value.message() }
  }

  /// Returns the strings of a repeated field.
  fileprivate func strings(_ number: UInt64) throws(ProtobufError) -> [String] {
    try values(number).map { (value) throws(ProtobufError) in try value.string() }
  }

  /// Returns a string; empty if the field is missing.
  fileprivate func string(_ number: UInt64) throws(ProtobufError) -> String {
    try values(number).last?.string() ?? ""
  }

  /// Returns an integer; 0 if the field is missing.
  fileprivate func integer(_ number: UInt64) throws(ProtobufError) -> Int {
    try values(number).last?.integer() ?? 0
  }
}
