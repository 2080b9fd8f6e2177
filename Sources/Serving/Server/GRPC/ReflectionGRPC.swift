import TensorIOCore

/// Server reflection: describes the services and messages to clients that do not know them.
struct ReflectionGRPC: Sendable {
  /// The version in the name of the service, `v1` or `v1alpha`.
  let version: String

  private var schema: ProtobufSchema { .standard }

  private var name: String { "grpc.reflection.\(version).ServerReflection" }

  /// The service with its method.
  var grpcService: GRPCService {
    GRPCService(
      name: name,
      methods: [
        GRPCMethod(
          name, "ServerReflectionInfo",
          .exchange(error: { Self.error($1, code: .invalidArgument, $0) })
        ) { (request) throws(ClientError) in
          .message(try response(to: request.message))
        }
      ])
  }

  private enum Field {
    static let fileByName: UInt64 = 3
    static let fileOfSymbol: UInt64 = 4
    static let fileOfExtension: UInt64 = 5
    static let extensionNumbers: UInt64 = 6
    static let services: UInt64 = 7
  }

  private func response(to request: [UInt8]) throws(ClientError) -> [UInt8] {
    let type = "ServerReflectionRequest"
    let fields = try ProtobufFields(ProtobufMessage(request), of: type)
    if fields[Field.services] != nil {
      let names = schema.files.flatMap(\.services).map(\.name).sorted()
      return Self.response(to: request) { writer in
        writer.message(6) { writer in
          for name in names { writer.message(1) { $0.string(1, name) } }
        }
      }
    }
    let file: ProtobufFile?
    if fields[Field.fileByName] != nil {
      let name = try fields.string(Field.fileByName, of: type)
      file = schema.files.first { $0.name == name }
    } else if fields[Field.fileOfSymbol] != nil {
      file = schema.file(declaring: try fields.string(Field.fileOfSymbol, of: type))
    } else if fields[Field.fileOfExtension] != nil || fields[Field.extensionNumbers] != nil {
      file = nil
    } else {
      return Self.error(request, code: .invalidArgument, "the request asks for nothing")
    }
    guard let file else { return Self.error(request, code: .notFound, "not found") }
    return Self.response(to: request) { writer in
      writer.message(4) { writer in
        for file in closure(of: file) { writer.bytes(1, file.descriptor) }
      }
    }
  }

  /// Returns a file and those that it imports.
  private func closure(of file: ProtobufFile) -> [ProtobufFile] {
    var files = [file]
    var index = 0
    while index < files.count {
      for name in files[index].dependencies where !files.contains(where: { $0.name == name }) {
        files += schema.files.filter { $0.name == name }
      }
      index += 1
    }
    return files
  }

  private static func response(
    to request: [UInt8], _ write: (inout ProtobufWriter) -> Void
  ) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.bytes(2, request)
    write(&writer)
    return writer.bytes
  }

  private static func error(
    _ request: [UInt8], code: GRPCStatus, _ message: String
  ) -> [UInt8] {
    response(to: request) { writer in
      writer.message(7) { writer in
        writer.varint(1, UInt64(code.rawValue))
        writer.string(2, message)
      }
    }
  }
}
