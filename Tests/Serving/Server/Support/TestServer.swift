import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Routes that count their calls. Requests for `/gate` wait at a gate.
final class TestRoutes: Sendable {
  let gate = TestGate()
  let status = ServerStatus()
  let streams: StreamRoutes
  private let counts = Mutex<[String: Int]>([:])

  init() { streams = StreamRoutes(gate) }

  func calls(of path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

  var routes: [Route] {
    [
      route(.get, "/here") { Self.text($0.target["top"] ?? "here") },
      route(.post, "/here") { HTTPResponse(type: "text/plain", body: $0.body) },
      route(.post, "/small", maxBodyBytes: 64) { HTTPResponse(type: "text/plain", body: $0.body) },
      route(.get, "/gate") { [gate] _ in
        gate.wait()
        return Self.text("through")
      },
      route(.get, "/nap") { _ in
        Thread.sleep(forTimeInterval: 0.002)
        return Self.text("rested")
      },
      route(.get, "/work") { _ in
        Thread.sleep(forTimeInterval: 0.01)
        return Self.text("done")
      },
      route(.get, "/large") { _ in
        HTTPResponse(type: "text/plain", body: Self.large)
      },
      backgroundRoute("/background") { [gate] _ in
        gate.wait()
        return Self.text("through")
      },
      backgroundRoute("/endless") { [self] context in
        while !context.isCanceled {
          counts.withLock { $0["step", default: 0] += 1 }
          Self.pause()
          try? await context.yield()
        }
        return Self.text("")
      },
      route(.get, "/v2/health/live", .inline) { _ in Self.text("alive") },
      route(.get, "/v2/health/ready", .inline) { [status] _ in
        HTTPResponse(
          status.state == .ready ? .ok : .serviceUnavailable, type: "text/plain", body: [])
      },
    ] + streams.routes
  }

  private func route(
    _ method: HTTPMethod, _ path: String, _ execution: Route.Execution = .queued,
    maxBodyBytes: Int = HTTPLimits.maxBodyBytes, _ handler: @escaping Route.Handler
  ) -> Route {
    Route(method, path, execution, maxBodyBytes: maxBodyBytes) { [self] request in
      counts.withLock { $0[path, default: 0] += 1 }
      return handler(request)
    }
  }

  private static func pause() { Thread.sleep(forTimeInterval: 0.001) }

  /// A route that continues in the background.
  private func backgroundRoute(
    _ path: String, _ body: @escaping @Sendable (RequestContext) async -> HTTPResponse
  ) -> Route {
    Route(
      .get, path,
      async: { [self] request in
        counts.withLock { $0[path, default: 0] += 1 }
        do throws(ClientError) {
          try await request.context.moveToBackground()
        } catch {
          return error.response
        }
        return await body(request.context)
      })
  }

  /// A large body, which all responses share.
  static let large = [UInt8](repeating: 65, count: 32 << 20)

  private static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(type: "text/plain", body: Array(text.utf8))
  }
}

/// A server with the test routes on a free port, stopped on deinitialization.
final class TestServer: Sendable {
  let routes = TestRoutes()
  let server: HTTPServer
  let log = RequestRecorder()
  private let hasEnded = Mutex(false)

  init(_ configure: (inout HTTPServer.Configuration) -> Void = { _ in }) throws {
    var configuration = HTTPServer.Configuration(port: 0, workerThreads: 2, maxQueuedRequests: 64)
    configure(&configuration)
    server = try HTTPServer(
      configuration, router: Router(routes.routes), observer: log, status: routes.status)
    Thread.detachNewThread { [server, weak self] in
      server.run()
      self?.hasEnded.withLock { $0 = true }
    }
  }

  deinit {
    routes.gate.open()
    server.stopNow()
  }

  /// Whether `run()` has returned.
  var isOver: Bool { hasEnded.withLock { $0 } }

  func client() throws -> RawHTTPClient { try RawHTTPClient(port: server.port) }
}

/// Records completed requests.
final class RequestRecorder: RequestObserver {
  private let summaries = Mutex<[CompletedRequest]>([])

  var all: [CompletedRequest] { summaries.withLock { $0 } }

  func requestCompleted(_ summary: CompletedRequest) { summaries.withLock { $0.append(summary) } }
}
