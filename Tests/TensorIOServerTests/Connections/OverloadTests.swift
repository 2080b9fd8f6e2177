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

  @Test func `bodies that would have no place beside others are not read`() async throws {
    let server = try TestServer { $0.bodiesBytes = 1000 }
    let slow = try server.client()
    slow.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600\r\n\r\nfirst bytes")
    try await until { server.server.load.connections == 1 }
    try await Task.sleep(for: .milliseconds(100))
    let late = try server.client()
    late.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600\r\n\r\n")
    let refused = try late.answer()
    #expect(refused.status == 503 && refused["Retry-After"] == "1" && refused.closes)
    let small = try server.client()
    small.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody")
    #expect(try small.answer().status == 200)
    slow.send(String(repeating: "x", count: 600 - 11))
    #expect(try slow.answer().status == 200)
    // The room is there again, more than once.
    for _ in 0..<3 {
      slow.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n")
      slow.send(String(repeating: "x", count: 900))
      #expect(try slow.answer().status == 200)
    }
  }

  @Test func `connections beyond the limit wait until another has ended`() async throws {
    let server = try TestServer { $0.connections = 2 }
    var clients = try (0..<2).map { _ in try server.client() }
    for client in clients {
      client.ask("/v2/health/live")
      #expect(try client.answer().status == 200)
    }
    let late = try server.client()
    late.ask("/v2/health/live")
    try await Task.sleep(for: .milliseconds(400))
    #expect(server.server.load.connections == 2)
    #expect(server.routes.calls(of: "/v2/health/live") == 2)
    clients.removeLast()
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
