/// A protocol by which clients run models.
///
/// It is a folder, and an entry in ``ServingProtocols/all``. Its readers and writers convert between the messages of clients
/// and those of the ``InferenceService``, which does everything else.
protocol ServingProtocol: Sendable {
  /// Creates the protocol for a server.
  init(_ host: ServingHost)

  /// The routes over HTTP.
  var routes: [Route] { get }
  /// The gRPC services.
  var grpcServices: [GRPCService] { get }
}

extension ServingProtocol {
  /// No gRPC services.
  var grpcServices: [GRPCService] { [] }
}

/// What protocols know of the server.
struct ServingHost: Sendable {
  let service: InferenceService
  /// The platform that may run the server; `nil` if the paths of platforms are not served.
  let platform: PlatformOptions?
  /// The routes of the server and of the protocols before this one.
  let routes: [Route]
}

/// The protocols of a server.
enum ServingProtocols {
  /// All protocols, in order: the first route that matches a path wins.
  static let all: [any ServingProtocol.Type] = [
    OpenInferenceRoutes.self, OpenAIRoutes.self, TensorFlowServingRoutes.self, PlatformRoutes.self,
  ]
}
