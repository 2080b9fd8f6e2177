import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// What a server does that has too much to do.
@Suite(.timeLimit(.minutes(1))) struct OverloadTests {
  /// A server whose only worker waits at the gate, with room for two more.
  private func busyServer(
    _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) async throws -> (TestServer, RawClient) {
    let server = try TestServer {
      ($0.workers, $0.queue) = (1, 2)
      configure(&$0)
    }
    let client = try server.client()
    client.ask("/gate")
    try await until { server.routes.gate.arrivalCount == 1 }
    return (server, client)
  }

  @Test func `who finds too many waiting is told at once, and may stay`() async throws {
    let (server, first) = try await busyServer()
    var clients = [first]
    for number in 1...2 {
      clients.append(try server.client())
      clients[number].ask("/gate")
      try await until { server.server.load.waiting == number }
    }
    let late = try server.client()
    let began = ContinuousClock.now
    late.ask("/here")
    let answer = try late.answer()
    #expect(began.duration(to: .now) < .milliseconds(500))
    #expect(answer.status == 503 && answer["Retry-After"] == "1" && !answer.closes)
    late.ask("/v2/health/live")
    #expect(try late.answer().text == "alive")
    #expect(server.server.load == ServerLoad(connections: 4, waiting: 2, working: 1))
    server.routes.gate.open()
    for client in clients { #expect(try client.answer().status == 200) }
    late.ask("/here")
    #expect(try late.answer().status == 200)
  }

  @Test func `nobody works for a client that has left`() async throws {
    let (server, first) = try await busyServer()
    do {
      let leaving = try server.client()
      leaving.ask("/here")
      try await until { server.server.load.waiting == 1 }
    }
    try await until { server.server.load.waiting == 0 }
    server.routes.gate.open()
    #expect(try first.answer().status == 200)
    let next = try server.client()
    next.ask("/nap")
    #expect(try next.answer().status == 200)
    #expect(server.routes.calls(of: "/here") == 0)
    #expect(server.log.all.contains { $0.status == 499 && $0.path == "/here" })
  }

  @Test func `nobody works for a request that has waited too long`() async throws {
    let (server, first) = try await busyServer { $0.deadlines.wait = .milliseconds(200) }
    let waiting = try server.client()
    waiting.ask("/here")
    let answer = try waiting.answer()
    #expect(answer.status == 503 && answer["Retry-After"] == "1")
    server.routes.gate.open()
    #expect(try first.answer().status == 200)
    #expect(server.routes.calls(of: "/here") == 0)
  }

  @Test func `who leaves while being worked for disturbs nobody`() async throws {
    let server = try await busyServer().0
    server.routes.gate.open()
    try await until { server.server.load == ServerLoad() }
    let next = try server.client()
    next.ask("/here")
    #expect(try next.answer().status == 200)
  }
}
