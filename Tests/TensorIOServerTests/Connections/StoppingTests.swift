import Foundation
import Synchronization
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

/// How a server ends.
@Suite(.timeLimit(.minutes(1)), .serialized) struct StoppingTests {
  @Test func `a server without clients ends at once`() async throws {
    let server = try TestServer()
    server.server.stop()
    try await waitUntil { server.isOver }
    #expect(server.server.state == .stopped)
  }

  @Test func `what is under way is answered, and nothing more is taken`() async throws {
    let server = try TestServer { $0.timeouts.drainGrace = .seconds(5) }
    let (working, idle, halfway) = try (server.client(), server.client(), server.client())
    idle.get("/v2/health/ready")
    #expect(try idle.response().status == 200)
    halfway.send("GET /here HTTP/1.1\r\nHo")
    working.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stop()
    #expect(server.server.state == .draining)
    try await waitUntil { (try? server.client()) == nil }
    idle.get("/v2/health/ready")
    let ready = try idle.response()
    #expect(ready.status == 503 && ready.closes)
    halfway.send("st: localhost\r\n\r\n")
    #expect(try halfway.response().closes)
    server.routes.gate.open()
    let answer = try working.response()
    #expect(answer.status == 200 && answer.closes)
    for client in [working, idle, halfway] {
      try client.waitForClose()
      client.shutdownWrite()
    }
    try await waitUntil { server.isOver }
  }

  @Test func `clients on whose connections nothing happens are let go`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/here")
    #expect(try client.response().closes == false)
    server.server.stop()
    #expect(try client.responses().isEmpty)
    try await waitUntil { server.isOver }
  }

  @Test func `there is an end even when a request has none`() async throws {
    let server = try TestServer { $0.timeouts.shutdown = .milliseconds(300) }
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stop()
    try await waitUntil { server.isOver }
    #expect(try client.responses().isEmpty)
  }

  @Test func `a server that must end now does`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    server.server.stopNow()
    try await waitUntil { server.isOver }
    #expect(server.server.state == .stopped)
  }

  @Test(arguments: 0..<20)
  func `a server that stops under load loses no request`(round: Int) async throws {
    let server = try TestServer()
    let tally = Tally()
    let clients = try (0..<8).map { _ in try server.client() }
    async let asking: Void = withTaskGroup { group in
      for client in clients {
        group.addTask { await onNewThread { tally.ask(client) } }
      }
    }
    try await waitUntil { tally.answered > 2 * clients.count }
    try await Task.sleep(for: .milliseconds(round))
    let late = try (0..<4).map { _ in try server.client() }
    for client in late { client.get("/nap") }
    server.server.stop()
    for client in late { #expect(try client.response().status == 200) }
    await asking
    try await waitUntil { server.isOver }
    #expect(tally.lost == 0)
  }
}

/// Clients that ask until they are told that it is over.
private final class Tally: Sendable {
  private let counts = Mutex((answered: 0, lost: 0))

  var answered: Int { counts.withLock { $0.answered } }
  var lost: Int { counts.withLock { $0.lost } }

  func ask(_ client: RawHTTPClient) {
    while true {
      client.get("/nap")
      guard let answer = try? client.response(), answer.status == 200 else {
        counts.withLock { $0.lost += 1 }
        return
      }
      counts.withLock { $0.answered += 1 }
      if answer.closes { return }
    }
  }
}
