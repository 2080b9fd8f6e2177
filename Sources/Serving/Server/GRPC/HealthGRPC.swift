import TensorIOCore

/// `grpc.health.v1.Health`: whether the server, or one of its services, accepts requests.
struct HealthGRPC: Sendable {
  let service: InferenceService
  /// The full names of the other services.
  let services: [String]

  /// The full name of the service.
  static let name = "grpc.health.v1.Health"

  private enum Status: UInt64 {
    case serving = 1
    case notServing = 2
    case unknownService = 3
  }

  /// The service with all methods, which need no token.
  var grpcService: GRPCService {
    GRPCService(
      name: Self.name,
      methods: [
        GRPCMethod(Self.name, "Check", requiresToken: false) {
          (request) throws(ClientError) in
          let status = try status(request)
          guard status != .unknownService else {
            throw ClientError(.notFound, "unknown-service", "unknown service")
          }
          return Self.response(status)
        },
        GRPCMethod(Self.name, "Watch", .watch, requiresToken: false) {
          (request) throws(ClientError) in Self.response(try status(request))
        },
      ])
  }

  private func status(_ request: GRPCRequest) throws(ClientError) -> Status {
    let type = "HealthCheckRequest"
    let fields = try ProtobufFields(ProtobufMessage(request.message), of: type)
    let name = try fields.string(1, of: type)
    guard name.isEmpty || name == Self.name || services.contains(name) else {
      return .unknownService
    }
    return service.isReady ? .serving : .notServing
  }

  private static func response(_ status: Status) -> HTTPResponse {
    var writer = ProtobufWriter()
    writer.varint(1, status.rawValue)
    return .message(writer.bytes)
  }
}
