import TensorIOCore
import TensorIOJSON

/// JSON that does not fit a message, which is a defect of the server.
struct ProtobufConversionError: Error {
  let message: String
}

extension ProtobufSchema {
  /// Returns the message that an object of JSON describes.
  ///
  /// Members that the message does not have are ignored. Numbers may be written as strings, and the
  /// values of enumerations are names, as protobuf defines it.
  ///
  /// - Parameters:
  ///   - name: The full name of the message.
  ///   - write: Writes the members of the object.
  /// - Returns: The message.
  /// - Throws: ``ProtobufConversionError`` if a value has a wrong type.
  func message(
    _ name: String, members write: (inout JSONWriter) -> Void
  ) throws(ProtobufConversionError) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object(write)
    let root: JSONNode
    do {
      root = try JSONDocument(parsing: writer.bytes).root
    } catch {
      throw ProtobufConversionError(message: "\(error)")
    }
    return try message(name, root)
  }

  /// Returns the message that an object of JSON describes.
  func message(_ name: String, _ node: JSONNode) throws(ProtobufConversionError) -> [UInt8] {
    guard let message = message(name), let members = node.members else {
      throw ProtobufConversionError(message: "\(name): expected an object, found \(node.summary)")
    }
    var writer = ProtobufWriter()
    for member in members {
      guard let field = message.fields.first(where: { $0.name == member.name }) else { continue }
      try write(member.value, field, to: &writer)
    }
    return writer.bytes
  }

  private func write(
    _ node: JSONNode, _ field: ProtobufFile.Field, to writer: inout ProtobufWriter
  ) throws(ProtobufConversionError) {
    if case .map(_, let type) = field.type {
      for member in node.members.map(Array.init) ?? [] {
        try writer.message(field.number) { (writer) throws(ProtobufConversionError) in
          writer.string(1, member.name)
          try write(member.value, type, 2, to: &writer)
        }
      }
    } else if field.isRepeated {
      for element in node.elements.map(Array.init) ?? [] {
        try write(element, field.type, field.number, to: &writer)
      }
    } else {
      try write(node, field.type, field.number, to: &writer)
    }
  }

  private func write(
    _ node: JSONNode, _ type: ProtobufFile.FieldType, _ number: Int,
    to writer: inout ProtobufWriter
  ) throws(ProtobufConversionError) {
    switch type {
    case .named(let name):
      if let values = enumeration(name) {
        guard let value = node.string.flatMap({ values[$0] }) else {
          throw ProtobufConversionError(message: "\(name) has no value \(node.source)")
        }
        writer.varint(number, UInt64(value))
      } else {
        writer.bytes(number, try message(name, node))
      }
    case .scalar(let scalar): try write(node, scalar, number, to: &writer)
    case .map: throw ProtobufConversionError(message: "a map has maps as values")
    }
  }

  private func write(
    _ node: JSONNode, _ scalar: ProtobufFile.Scalar, _ number: Int,
    to writer: inout ProtobufWriter
  ) throws(ProtobufConversionError) {
    let wrongType = ProtobufConversionError(message: "field \(number) has the value \(node.source)")
    switch scalar {
    case .string, .bytes:
      guard let text = node.string else { throw wrongType }
      writer.bytes(number, text.utf8)
    case .bool:
      guard let flag = node.bool else { throw wrongType }
      writer.varint(number, flag ? 1 : 0)
    case .int32, .int64, .uint32, .uint64:
      guard let value = node.int ?? node.string.flatMap({ Int64($0) }) else { throw wrongType }
      writer.varint(number, UInt64(bitPattern: value))
    case .double:
      guard let value = node.double else { throw wrongType }
      writer.fixed64(number, value.bitPattern)
    case .float:
      guard let value = node.float else { throw wrongType }
      writer.fixed32(number, value.bitPattern)
    }
  }
}
