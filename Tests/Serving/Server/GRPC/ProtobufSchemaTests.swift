import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The descriptors of messages and services that are embedded in the program.
@Suite struct ProtobufSchemaTests {
  /// The golden has the names, numbers and types that clients and the readers and writers of messages in this server use. A line is an
  /// import, a field, a value of an enumeration, or a method.
  @Test func `Messages, enumerations and services are those of the protocols`() throws {
    let path = ProjectFiles.path("Tests/Fixtures/Server/protobuf-definitions.txt")
    let expected = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .map { String($0) }
    let found = try ProtobufSchema.standard.files.sorted { $0.name < $1.name }
      .flatMap { try Self.lines(of: $0) }
    for difference in found.difference(from: expected) {
      switch difference {
      case .insert(_, let line, _): Issue.record("the descriptors have '\(line)'")
      case .remove(_, let line, _): Issue.record("the descriptors do not have '\(line)'")
      }
    }
  }

  @Test func `The server has the methods of the services, each with its kind`() throws {
    let services = try PredictionHarness().grpcServices
    let declared = ProtobufSchema.standard.files.flatMap(\.services)
    #expect(Set(services.map(\.name)) == Set(declared.map(\.name)))
    let streaming = try Self.embeddedFiles().reduce(into: [String: [Bool]]()) { kinds, file in
      let package = try file.text(2)
      for service in try file.messages(6) {
        for method in try service.messages(2) {
          let name = "\(package).\(try service.text(1)).\(try method.text(1))"
          kinds[name] = [try method.flag(5), try method.flag(6)]
        }
      }
    }
    for service in services {
      let methods = declared.first { $0.name == service.name }?.methods ?? []
      #expect(Set(service.methods.map(\.name)) == Set(methods), "\(service.name)")
      for method in service.methods {
        let expected =
          switch method.kind {
          case .unary: [false, false]
          case .exchange: [true, true]
          case .watch: [false, true]
          }
        #expect(streaming["\(service.name).\(method.name)"] == expected, "\(method.name)")
      }
    }
  }

  @Test(arguments: ["v1", "v1alpha"]) func `Reflection returns files as they are in the set`(
    version: String
  ) throws {
    let harness = try PredictionHarness()
    let path = "/grpc.reflection.\(version).ServerReflection/ServerReflectionInfo"
    let files = try Self.embeddedFiles()
    #expect(files.count == 25)
    for file in files {
      let name = try file.text(1)
      let response = try harness.call(path, WireWriter { $0.text(3, name) }.bytes)
      let found = try #require(ProtobufMessage(response.body).messages(4).first).messages(1)
      #expect(found.first?.contents == file.contents, "\(name)")
      // The others are all that the file imports, each once.
      let names = try found.map { try $0.text(1) }
      #expect(Set(names).count == names.count, "\(name)")
      for each in found {
        #expect(files.contains { $0.contents == each.contents }, "\(name)")
        for imported in try each.texts(3) { #expect(names.contains(imported), "\(name)") }
      }
    }
  }

  @Test func `A malformed descriptor set is an error`() throws {
    let bytes = EmbeddedDescriptors.bytes()
    #expect(throws: ProtobufError.truncated) {
      try ProtobufSchema(descriptorSet: bytes.dropLast())
    }
    func set(type: Int) -> [UInt8] {
      WireWriter {
        $0.message(1) {
          $0.text(1, "a.proto")
          $0.text(2, "a")
          $0.message(4) {
            $0.text(1, "Message")
            $0.message(2) {
              $0.text(1, "field")
              $0.number(3, 7)
              $0.number(5, type)
            }
          }
        }
      }.bytes
    }
    let (string, zigzag) = (9, 17)
    let field = try ProtobufSchema(descriptorSet: set(type: string)).message("a.Message")?.fields[0]
    #expect(field?.name == "field" && field?.number == 7)
    #expect(throws: ProtobufError.unexpectedWireType) {
      try ProtobufSchema(descriptorSet: set(type: zigzag))
    }
  }
}

// MARK: The lines of the golden

extension ProtobufSchemaTests {
  private static func embeddedFiles() throws -> [ProtobufMessage] {
    try ProtobufMessage(EmbeddedDescriptors.bytes()).messages(1)
  }

  private static func lines(of file: ProtobufFile) throws -> [String] {
    let descriptor = ProtobufMessage(file.descriptor)
    let package = try descriptor.text(2)
    var oneofs: [String: String] = [:]
    for message in try descriptor.messages(4) { try add(message, in: package, to: &oneofs) }
    let types =
      file.messages.map { message in
        (
          message.name,
          ["message \(message.name)"]
            + message.fields.sorted { $0.number < $1.number }.map { field in
              let type = (field.isRepeated ? "repeated " : "") + text(field.type)
              let oneof = oneofs["\(message.name).\(field.name)"].map { " | \($0)" } ?? ""
              return "\(field.number) \(type) \(field.name)\(oneof)"
            }
        )
      }
      + file.enumerations.map { enumeration in
        (
          enumeration.name,
          ["enum \(enumeration.name)"]
            + enumeration.values.sorted { $0.value < $1.value }.map { "\($0.value) \($0.key)" }
        )
      }
    return ["file \(file.name)"] + file.dependencies.sorted().map { "import \($0)" }
      + types.sorted { $0.0 < $1.0 }.flatMap(\.1)
      + (try descriptor.messages(6).flatMap { try lines(of: $0, package) })
  }

  private static func lines(of service: ProtobufMessage, _ package: String) throws -> [String] {
    let methods = try service.messages(2).map { method in
      let (input, output) = (try method.text(2).dropFirst(), try method.text(3).dropFirst())
      return [
        try method.text(1), (try method.flag(5) ? "stream " : "") + input,
        (try method.flag(6) ? "stream " : "") + output,
      ].joined(separator: " ")
    }
    return ["service \(package).\(try service.text(1))"] + methods.sorted()
  }

  private static func text(_ type: ProtobufFile.FieldType) -> String {
    switch type {
    case .scalar(let scalar): "\(scalar)"
    case .named(let name): name
    case .map(let key, let value): "map \(key) \(text(value))"
    }
  }

  /// Adds the oneofs of the fields of a message and of the messages in it.
  private static func add(
    _ message: ProtobufMessage, in scope: String, to oneofs: inout [String: String]
  ) throws {
    let name = "\(scope).\(try message.text(1))"
    let names = try message.messages(8).map { try $0.text(1) }
    for field in try message.messages(2) {
      try field.forEachField { (number, value) throws(ProtobufError) in
        if number == 9 { oneofs["\(name).\(try field.text(1))"] = names[try value.integer()] }
      }
    }
    for nested in try message.messages(3) { try add(nested, in: name, to: &oneofs) }
  }
}

extension ProtobufMessage {
  fileprivate func texts(_ number: UInt64) throws(ProtobufError) -> [String] {
    try messages(number).map { (text) throws(ProtobufError) in try text.string() }
  }

  fileprivate func text(_ number: UInt64) throws(ProtobufError) -> String {
    try texts(number).last ?? ""
  }

  /// Whether a field is present.
  fileprivate func flag(_ number: UInt64) throws(ProtobufError) -> Bool {
    var isPresent = false
    try forEachField { (field, _) throws(ProtobufError) in
      if field == number { isPresent = true }
    }
    return isPresent
  }
}
