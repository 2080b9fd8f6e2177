import Foundation
import Synchronization
import TensorIOServer
import TensorIOSystem

/// A server on the loopback interface with files by path, which a test can change, and redirections.
final class DownloadServer: Sendable {
  private final class SharedState: Sendable {
    let state = Mutex(State())
  }

  private struct State {
    var files: [String: [UInt8]] = [:]
    var redirections: [String: String] = [:]
    var requestCount = 0
  }

  private let shared = SharedState()
  private let server: HTTPServer
  let port: Int

  init() throws {
    let shared = shared
    let routes = (1...8).map { count in
      let path = (0..<count).map { "/:p\($0)" }.joined()
      return Route(.get, path) { request in
        let parts = (0..<count).map { request.pathParameters["p\($0)"] ?? "" }
        return Self.response(to: parts.joined(separator: "/"), shared)
      }
    }
    let status = ServerStatus()
    server = try HTTPServer(
      HTTPServer.Configuration(port: 0, workerThreads: 2, maxQueuedRequests: 64),
      router: Router(routes), observer: ServerMetrics(), status: status)
    port = server.port
    let server = server
    Thread.detachNewThread { server.run() }
  }

  deinit { server.stopNow() }

  /// The number of requests so far.
  var requestCount: Int { shared.state.withLock(\.requestCount) }

  /// Returns the URL of a path.
  func address(_ path: String = "", host: String = "127.0.0.1") -> String {
    "http://\(host):\(port)/\(path)"
  }

  func set(_ bytes: [UInt8], at path: String) { shared.state.withLock { $0.files[path] = bytes } }

  /// Redirects a path to a URL.
  func redirect(_ path: String, to url: String) {
    shared.state.withLock { $0.redirections[path] = url }
  }

  private static func response(to path: String, _ shared: SharedState) -> HTTPResponse {
    shared.state.withLock { state in
      state.requestCount += 1
      if let target = state.redirections[path] {
        var response = HTTPResponse(HTTPStatus(302, "Found"), type: "text/plain", body: [65])
        response.headers["Location"] = target
        return response
      }
      guard let bytes = state.files[path] else {
        return .error(.notFound, "not-found", "no such file")
      }
      return HTTPResponse(type: "application/octet-stream", body: bytes)
    }
  }
}
