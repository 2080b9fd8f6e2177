import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The behavior of a server under load.
@Suite(.hangGuard, .ownThreads) struct OverloadTests {
  /// Returns a server with one worker thread, which waits at the gate, and a queue of two requests.
  private func busyServer(
    _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) async throws -> (TestServer, RawHTTPClient) {
    let server = try TestServer {
      ($0.workerThreads, $0.maxQueuedRequests) = (1, 2)
      configure(&$0)
    }
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    return (server, client)
  }

  @Test func `A request that finds the queue full is rejected at once`() async throws {
    let (server, first) = try await busyServer()
    var clients = [first]
    for number in 1...2 {
      clients.append(try server.client())
      clients[number].get("/gate")
      try await waitUntil { server.server.load.queuedRequests == number }
    }
    let late = try server.client()
    late.get("/here")
    // Neither the running request nor the queued ones can complete before this response.
    let response = try late.response()
    #expect(!server.routes.gate.isOpen)
    #expect(response.status == 503 && response["Retry-After"] == "1" && !response.closes)
    late.get("/v2/health/live")
    #expect(try late.response().text == "alive")
    #expect(server.server.load == ServerLoad(connections: 4, queuedRequests: 2, activeRequests: 1))
    server.routes.gate.open()
    for client in clients { #expect(try client.response().status == 200) }
    late.get("/here")
    #expect(try late.response().status == 200)
  }

  @Test(arguments: [1, 2, 4])
  func `A burst of requests is handled up to the queue limit and the others are rejected`(
    eventLoops: Int
  ) async throws {
    let server = try TestServer {
      ($0.workerThreads, $0.maxQueuedRequests, $0.eventLoops) = (2, 4, eventLoops)
    }
    let clients = try (0..<64).map { _ in try server.client() }
    for client in clients { client.get("/gate") }
    try await waitUntil { server.log.all.count == 58 }
    #expect(server.log.all.allSatisfy { $0.status == 503 })
    // The second thread may not have taken its request yet.
    let load = ServerLoad(connections: 64, queuedRequests: 4, activeRequests: 2)
    try await waitUntil { server.server.load == load }
    server.routes.gate.open()
    let responses = try clients.map { try $0.response() }
    #expect(responses.count { $0.status == 200 } == 6)
    #expect(responses.allSatisfy { $0.status == 200 || $0["Retry-After"] == "1" })
    for client in clients {
      client.get("/v2/health/live")
      #expect(try client.response().status == 200)
    }
  }

  private static let halfOfReceiving = 300_000

  /// A server with half a mebibyte for bodies that are being received.
  private func smallServer(
    _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer { configuration in
      configuration.memory = MemoryBudget(byteCount: 1 << 20)
      configuration.timeouts.body = HangGuard.step
      configuration.timeouts.progress = HangGuard.step
      configure(&configuration)
    }
  }

  private func head(_ framing: String) -> String {
    "POST /here HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n"
  }

  @Test func `Bodies that are announced and not sent hold no memory`() throws {
    let server = try smallServer()
    var slow: [RawHTTPClient] = []
    for index in 0..<32 {
      slow.append(try server.client())
      let isChunked = index.isMultiple(of: 2)
      slow[index].send(head(isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 400000"))
      slow[index].send(isChunked ? "64\r\n" + String(repeating: "x", count: 100) : "first bytes")
    }
    let other = try server.client()
    other.send(head("Content-Length: \(Self.halfOfReceiving)"))
    other.send(String(repeating: "x", count: Self.halfOfReceiving))
    #expect(try other.response().status == 200)
  }

  @Test func `Bodies beyond the shared memory are rejected, and small ones are not`() throws {
    let server = try smallServer()
    let part = String(repeating: "x", count: Self.halfOfReceiving)
    let slow = try server.client()
    slow.send(head("Content-Length: \(Self.halfOfReceiving + 1)"))
    slow.send(part)
    let late = try server.client()
    late.send(head("Content-Length: \(Self.halfOfReceiving + 1)"))
    late.send(part)
    let rejected = try late.response()
    #expect(rejected.status == 429 && rejected["Retry-After"] == "1" && rejected.closes)
    let large = try server.client()
    large.send(head("Content-Length: 600000"))
    #expect(try large.response().status == 413)
    let small = try server.client()
    small.send(head("Content-Length: 4") + "body")
    #expect(try small.response().status == 200)
    slow.send("x")
    #expect(try slow.response().status == 200)
    // The memory is released after each request.
    for _ in 0..<3 {
      slow.send(head("Content-Length: 500000"))
      slow.send(String(repeating: "x", count: 500_000))
      #expect(try slow.response().status == 200)
    }
  }

  @Test func `A handler that goes on after its time limit keeps its memory`() async throws {
    let budget = MemoryBudget(byteCount: 1 << 20)
    let server = try smallServer { configuration in
      configuration.memory = budget
      configuration.timeouts.request = .milliseconds(200)
    }
    let client = try server.client()
    client.send("GET /gate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
    client.send(String(repeating: "x", count: 100_000))
    #expect(try client.response().status == 503)
    #expect(budget.usedBytes >= 100_000)
    server.routes.gate.open()
    try await waitUntil { budget.usedBytes == 0 }
  }

  @Test func `Health checks are answered when there is no memory`() throws {
    let budget = MemoryBudget(byteCount: 1 << 20)
    let server = try TestServer { $0.memory = budget }
    let others = (0..<16).map { _ in MemoryReservation(budget) }
    for other in others { try other.grow(by: 64 << 10) }
    let client = try server.client()
    client.get("/v2/health/live")
    #expect(try client.response().status == 200)
    client.send(head("Content-Length: 4") + "body")
    #expect(try client.response().status == 429)
    withExtendedLifetime(others) {}
  }

  @Test func `A large body that stops arriving is ended soon, and a small one later`() throws {
    let server = try smallServer { configuration in
      configuration.timeouts.progress = .milliseconds(200)
    }
    let (large, small) = (try server.client(), try server.client())
    small.send(head("Content-Length: 1000") + "first bytes")
    large.send(head("Content-Length: \(Self.halfOfReceiving)"))
    large.send(String(repeating: "x", count: 100_000))
    #expect(try large.response().status == 408)
    small.send(String(repeating: "x", count: 1000 - 11))
    #expect(try small.response().status == 200)
  }

  @Test func `A client that disconnects while queued is dropped`() async throws {
    let (server, first) = try await busyServer()
    do {
      let leaving = try server.client()
      leaving.get("/here")
      try await waitUntil { server.server.load.queuedRequests == 1 }
    }
    try await waitUntil { server.server.load.queuedRequests == 0 }
    server.routes.gate.open()
    #expect(try first.response().status == 200)
    let next = try server.client()
    next.get("/nap")
    #expect(try next.response().status == 200)
    #expect(server.routes.calls(of: "/here") == 0)
    #expect(server.log.all.contains { $0.status == 499 && $0.path == "/here" })
  }

  @Test func `A request that is queued for too long is rejected without being handled`()
    async throws
  {
    let (server, first) = try await busyServer { $0.timeouts.queue = .milliseconds(200) }
    let waiting = try server.client()
    waiting.get("/here")
    let response = try waiting.response()
    #expect(response.status == 503 && response["Retry-After"] == "1")
    server.routes.gate.open()
    #expect(try first.response().status == 200)
    #expect(server.routes.calls(of: "/here") == 0)
  }

  @Test func `A client that disconnects while its request is handled affects no other`()
    async throws
  {
    let server = try await busyServer().0
    server.routes.gate.open()
    try await waitUntil { server.server.load == ServerLoad() }
    let next = try server.client()
    next.get("/here")
    #expect(try next.response().status == 200)
  }
}
