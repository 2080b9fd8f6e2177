import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests that are handled in steps in the background.
@Suite(.hangGuard) struct BackgroundRequestTests {
  @Test func `Background steps do not occupy the threads of other requests`() async throws {
    let server = try TestServer { ($0.workerThreads, $0.maxQueuedRequests) = (1, 4) }
    let slow = try (0..<3).map { _ in try server.client() }
    for client in slow { client.get("/background") }
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    try await waitUntil { server.server.load.activeRequests == 3 }
    let quick = try server.client()
    for _ in 0..<3 {
      quick.get("/here")
      #expect(try quick.response().text == "here")
    }
    server.routes.gate.open()
    for client in slow { #expect(try client.response().text == "through") }
  }

  @Test func `More background requests than the queue holds are rejected`() async throws {
    let server = try TestServer { ($0.workerThreads, $0.maxQueuedRequests) = (1, 1) }
    let clients = try (0..<2).map { _ in try server.client() }
    for client in clients { client.get("/background") }
    try await waitUntil { server.server.load.activeRequests == 2 }
    let late = try server.client()
    late.get("/background")
    let response = try late.response()
    #expect(response.status == 503)
    #expect(response.text.contains(#""code":"overloaded""#))
    server.routes.gate.open()
    for client in clients { #expect(try client.response().status == 200) }
  }

  @Test func `The steps of several requests alternate`() async throws {
    let server = try TestServer { $0.workerThreads = 1 }
    let endless = try server.client()
    endless.get("/endless")
    try await waitUntil { server.routes.calls(of: "step") > 2 }
    let other = try server.client()
    server.routes.gate.open()
    other.get("/background")
    #expect(try other.response().text == "through")
  }

  @Test func `Work for a client that closed its connection stops`() async throws {
    let server = try TestServer { $0.timeouts.probeInterval = .milliseconds(20) }
    try await leave(server)
    try await waitUntil { server.log.all.map(\.status) == [499] }
    #expect(server.server.load.activeRequests <= 1)
    try await waitUntil { server.server.load.activeRequests == 0 }
    let steps = server.routes.calls(of: "step")
    try await Task.sleep(for: .milliseconds(50))
    #expect(server.routes.calls(of: "step") == steps)
  }

  /// Sends a request and closes the connection.
  private func leave(_ server: TestServer) async throws {
    let client = try server.client()
    client.get("/endless")
    try await waitUntil { server.routes.calls(of: "step") > 2 }
  }

  @Test func `A client that closes its sending side receives the response`() async throws {
    let server = try TestServer { $0.timeouts.probeInterval = .milliseconds(20) }
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    client.shutdownWrite()
    #expect(try client.response(interim: true).status == 102)
    server.routes.gate.open()
    #expect(try client.response().text == "through")
  }

  @Test func `A request that takes too long as a whole is answered`() async throws {
    let server = try TestServer {
      $0.timeouts.request = .milliseconds(200)
      // The limit of a request does not wait for that of the queue.
      $0.timeouts.queue = .seconds(3600)
    }
    let (stuck, endless) = (try server.client(), try server.client())
    stuck.get("/gate")
    endless.get("/endless")
    for client in [stuck, endless] {
      let response = try client.response()
      #expect(response.status == 503 && response.closes)
      #expect(response.text.contains(#""code":"timed-out""#))
      #expect(response["Retry-After"] != nil)
    }
    server.routes.gate.open()
    try await waitUntil { server.server.load.activeRequests == 0 }
  }

  @Test func `A request that waits in the queue for too long as a whole is answered`() async throws
  {
    let server = try TestServer {
      $0.workerThreads = 1
      $0.timeouts.request = .milliseconds(200)
      $0.timeouts.queue = .seconds(3600)
    }
    let stuck = try server.client()
    stuck.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    let queued = try server.client()
    queued.get("/here")
    let response = try queued.response()
    #expect(response.status == 503 && response.text.contains(#""code":"timed-out""#))
    #expect(server.routes.calls(of: "/here") == 0)
  }

  @Test func `More worker threads than Dispatch has are started`() throws {
    let server = try TestServer { $0.workerThreads = 300 }
    let client = try server.client()
    client.get("/here")
    #expect(try client.response().status == 200)
  }
}
