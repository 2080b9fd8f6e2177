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
    try await until { server.isOver }
    #expect(server.server.state == .stopped)
  }

  @Test func `what is under way is answered, and nothing more is taken`() async throws {
    let server = try TestServer { $0.deadlines.farewell = .seconds(5) }
    let (working, idle, halfway) = try (server.client(), server.client(), server.client())
    idle.ask("/v2/health/ready")
    #expect(try idle.answer().status == 200)
    halfway.send("GET /here HTTP/1.1\r\nHo")
    working.ask("/gate")
    try await until { server.routes.gate.arrivalCount == 1 }
    server.server.stop()
    #expect(server.server.state == .draining)
    try await until { (try? server.client()) == nil }
    idle.ask("/v2/health/ready")
    let ready = try idle.answer()
    #expect(ready.status == 503 && ready.closes)
    halfway.send("st: localhost\r\n\r\n")
    #expect(try halfway.answer().closes)
    server.routes.gate.open()
    let answer = try working.answer()
    #expect(answer.status == 200 && answer.closes)
    for client in [working, idle, halfway] {
      try client.waitForEnd()
      client.endWriting()
    }
    try await until { server.isOver }
  }

  @Test func `clients on whose connections nothing happens are let go`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.ask("/here")
    #expect(try client.answer().closes == false)
    server.server.stop()
    #expect(try client.answers().isEmpty)
    try await until { server.isOver }
  }

  @Test func `there is an end even when a request has none`() async throws {
    let server = try TestServer { $0.deadlines.stop = .milliseconds(300) }
    let client = try server.client()
    client.ask("/gate")
    try await until { server.routes.gate.arrivalCount == 1 }
    server.server.stop()
    try await until { server.isOver }
    #expect(try client.answers().isEmpty)
  }

  @Test func `a server that must end now does`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.ask("/gate")
    try await until { server.routes.gate.arrivalCount == 1 }
    server.server.stopNow()
    try await until { server.isOver }
    #expect(server.server.state == .stopped)
  }

  @Test(arguments: 0..<20)
  func `a server that stops under load loses no request`(round: Int) async throws {
    let server = try TestServer()
    let tally = Tally()
    let clients = try (0..<8).map { _ in try server.client() }
    async let asking: Void = withTaskGroup { group in
      for client in clients {
        group.addTask { await inThread { tally.ask(client) } }
      }
    }
    try await until { tally.answered > 2 * clients.count }
    try await Task.sleep(for: .milliseconds(round))
    let late = try (0..<4).map { _ in try server.client() }
    for client in late { client.ask("/nap") }
    server.server.stop()
    for client in late { #expect(try client.answer().status == 200) }
    await asking
    try await until { server.isOver }
    #expect(tally.lost == 0)
  }
}

/// Clients that ask until they are told that it is over.
private final class Tally: Sendable {
  private let counts = Mutex((answered: 0, lost: 0))

  var answered: Int { counts.withLock { $0.answered } }
  var lost: Int { counts.withLock { $0.lost } }

  func ask(_ client: RawClient) {
    while true {
      client.ask("/nap")
      guard let answer = try? client.answer(), answer.status == 200 else {
        counts.withLock { $0.lost += 1 }
        return
      }
      counts.withLock { $0.answered += 1 }
      if answer.closes { return }
    }
  }
}
