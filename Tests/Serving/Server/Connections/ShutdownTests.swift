import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Stopping a server.
@Suite(.hangGuard, .serialized, .ownThreads) struct ShutdownTests {
  @Test func `A server without clients stops at once`() async throws {
    let server = try TestServer()
    server.server.stop()
    try await waitUntil { server.isOver }
    #expect(server.server.state == .stopped)
  }

  @Test(arguments: [1, 2, 4])
  func `A stopping server completes accepted requests and rejects new ones`(
    eventLoops: Int
  ) async throws {
    let server = try TestServer {
      ($0.eventLoops, $0.timeouts.drainGrace) = (eventLoops, HangGuard.step)
    }
    let (active, idle, partial) = try (server.client(), server.client(), server.client())
    idle.get("/v2/health/ready")
    #expect(try idle.response().status == 200)
    partial.send("GET /here HTTP/1.1\r\nHo")
    active.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stop()
    #expect(server.server.state == .draining)
    // Until the event loop has noticed, responses do not close their connections.
    try await waitUntil {
      guard let late = try? server.client() else { return false }
      late.get("/v2/health/ready")
      return (try? late.response().closes) == true
    }
    idle.get("/v2/health/ready")
    let ready = try idle.response()
    #expect(ready.status == 503 && ready.closes)
    for (path, status, text) in [
      ("/here", 503, #""code":"shutting-down""#), ("/v2/health/live", 200, "alive"),
      ("/v2/health/ready", 503, ""),
    ] {
      let late = try server.client()
      late.get(path)
      let response = try late.response()
      #expect(response.status == status && response.closes)
      #expect(text.isEmpty || response.text.contains(text))
      late.shutdownWrite()
    }
    #expect(server.routes.calls(of: "/here") == 0)
    partial.send("st: localhost\r\n\r\n")
    #expect(try partial.response().closes)
    server.routes.gate.open()
    let response = try active.response()
    #expect(response.status == 200 && response.closes)
    for client in [active, idle, partial] {
      try client.waitForClose()
      client.shutdownWrite()
    }
    try await waitUntil { server.isOver }
  }

  @Test func `A stopping server closes idle connections`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/here")
    #expect(try client.response().closes == false)
    server.server.stop()
    #expect(try client.responses().isEmpty)
    try await waitUntil { server.isOver }
  }

  @Test(arguments: [1, 2])
  func `A request that does not complete delays stopping only up to the deadline`(
    eventLoops: Int
  ) async throws {
    let server = try TestServer {
      ($0.eventLoops, $0.timeouts.shutdown) = (eventLoops, .milliseconds(300))
    }
    let other = try server.client()
    try await waitUntil { server.server.load.connections == 1 }
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stop()
    let response = try client.response()
    #expect(response.status == 503 && response.closes)
    #expect(response.text.contains(#""code":"shutting-down""#))
    client.shutdownWrite()
    try await waitUntil { server.isOver }
    #expect(server.log.all.map(\.status) == [503])
    _ = other
  }

  @Test func `A request that is not received in time for stopping is answered`() async throws {
    let server = try TestServer {
      ($0.timeouts.shutdown, $0.timeouts.drainGrace) = (.milliseconds(300), .seconds(5))
    }
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
    try await waitUntil { server.server.load.connections == 1 }
    server.server.stop()
    #expect(try client.response().status == 503)
    client.shutdownWrite()
    try await waitUntil { server.isOver }
  }

  @Test(arguments: [1, 2])
  func `stopNow does not wait for requests`(eventLoops: Int) async throws {
    let server = try TestServer { $0.eventLoops = eventLoops }
    let other = try server.client()
    try await waitUntil { server.server.load.connections == 1 }
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stopNow()
    try await waitUntil { server.isOver }
    #expect(server.server.state == .stopped)
    #expect(server.log.all.map(\.path) == ["/gate"])
    _ = other
  }

  @Test(arguments: 0..<20)
  func `A server that stops under load completes every accepted request`(
    round: Int
  ) async throws {
    let server = try TestServer { $0.eventLoops = [1, 2, 4][round % 3] }
    let tally = Tally()
    let clients = try (0..<8).map { _ in try server.client() }
    async let asking: Void = withTaskGroup { group in
      for client in clients {
        group.addTask { await onNewThread { tally.sendRequests(client) } }
      }
    }
    try await waitUntil { tally.completed > 2 * clients.count }
    try await Task.sleep(for: .milliseconds(round))
    let late = try (0..<4).map { _ in try server.client() }
    for client in late { client.get("/nap") }
    server.server.stop()
    for client in late { #expect(try client.response().status == 200) }
    await asking
    try await waitUntil { server.isOver }
    #expect(tally.failed == 0)
  }
}

/// Counts the responses to clients that send requests until the server closes their connections.
private final class Tally: Sendable {
  private let counts = Mutex((completed: 0, failed: 0))

  var completed: Int { counts.withLock { $0.completed } }
  var failed: Int { counts.withLock { $0.failed } }

  func sendRequests(_ client: RawHTTPClient) {
    while true {
      client.get("/nap")
      guard let response = try? client.response(), response.status == 200 else {
        counts.withLock { $0.failed += 1 }
        return
      }
      counts.withLock { $0.completed += 1 }
      if response.closes { return }
    }
  }
}
