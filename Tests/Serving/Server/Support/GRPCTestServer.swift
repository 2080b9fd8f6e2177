import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// A server with methods that count their calls. Calls of `Gate` wait at a gate.
final class GRPCTestServer: Sendable {
  let gate = TestGate()
  let server: HTTPServer
  let log = RequestRecorder()
  let status = ServerStatus()
  let streams: StreamRoutes
  private let counts: Counts
  private let hasEnded = Mutex(false)

  private final class Counts: Sendable {
    let values = Mutex<[String: Int]>([:])
  }

  private static let service = "test.Test"

  static func path(_ name: String) -> String { "/\(service)/\(name)" }

  init(
    grpcPort: Int? = nil, _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws {
    let (counts, gate, status) = (Counts(), gate, status)
    self.counts = counts
    streams = StreamRoutes(gate)
    func method(
      _ name: String, _ kind: GRPCMethod.Kind = .unary,
      _ handler: @escaping GRPCMethod.Handler
    ) -> GRPCMethod {
      GRPCMethod(Self.service, name, kind) { (request) async throws(ClientError) in
        counts.values.withLock { $0[name, default: 0] += 1 }
        return try await handler(request)
      }
    }
    let methods = [
      method("Echo") { (request) throws(ClientError) in .message(request.message) },
      method("Gate") { (_) throws(ClientError) in
        gate.wait()
        return .message([1])
      },
      method("Administrator") { (request) throws(ClientError) in
        .message([request.context.isAdministrator ? 1 : 0])
      },
      method("Fail") { (_) throws(ClientError) in
        throw ClientError(.notFound, "unknown", "100 % wrong: ä")
      },
      method("Chat", .exchange(error: { message, _ in Array("error: \(message)".utf8) })) {
        (request) throws(ClientError) in
        guard request.message != [0] else {
          throw ClientError(.badRequest, "invalid", "a zero")
        }
        return .message(request.message)
      },
      GRPCMethod(Self.service, "Watch", .watch, requiresToken: false) { (_) throws(ClientError) in
        .message([status.state == .ready ? 1 : 2])
      },
    ]
    var configuration = HTTPServer.Configuration(port: 0, workerThreads: 2, maxQueuedRequests: 200)
    configuration.grpc = HTTPServer.GRPCConfiguration(
      try HTTP2Library.standard,
      [GRPCService(name: Self.service, methods: methods)], port: grpcPort)
    configure(&configuration)
    let routes =
      [
        Route(.get, "/here") { _ in HTTPResponse(type: "text/plain", body: []) },
        Route(.post, "/echo") { HTTPResponse(type: "text/plain", body: $0.body) },
        Route(.get, "/large") { _ in HTTPResponse(type: "text/plain", body: TestRoutes.large) },
        Route(.get, "/gate") { _ in
          gate.wait()
          return HTTPResponse(type: "text/plain", body: [])
        },
        Route(.get, "/health", .inline) { _ in HTTPResponse(type: "text/plain", body: []) },
      ] + streams.routes
    server = try HTTPServer(
      configuration, router: Router(routes), observer: log, status: status)
    Thread.detachNewThread { [server, weak self] in
      server.run()
      self?.hasEnded.withLock { $0 = true }
    }
  }

  deinit {
    gate.open()
    server.stopNow()
  }

  /// Whether `run()` has returned.
  var isOver: Bool { hasEnded.withLock { $0 } }

  func calls(of name: String) -> Int { counts.values.withLock { $0[name] ?? 0 } }

  func client() throws -> HTTP2TestClient { try HTTP2TestClient(port: server.port, of: self) }
}
