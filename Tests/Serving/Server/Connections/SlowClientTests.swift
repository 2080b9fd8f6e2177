import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The handling of slow clients, with short timeouts.
@Suite(.hangGuard, .ownThreads) struct SlowClientTests {
  private func server(
    _ path: any WritableKeyPath<HTTPTimeouts, Duration> & Sendable, _ timeout: Duration
  ) throws -> TestServer {
    try TestServer { $0.timeouts[keyPath: path] = timeout }
  }

  @Test func `An incomplete head times out`() throws {
    let server = try server(\.head, .milliseconds(300))
    let began = ContinuousClock.now
    let slow = try server.client()
    // Bytes keep arriving until the server closes the connection, so they do not extend the timeout.
    let sender = Thread { while slow.send("G") { usleep(20_000) } }
    sender.start()
    #expect(try slow.responses().map(\.status) == [408])
    #expect(began.duration(to: .now) >= .milliseconds(300))
  }

  @Test func `An incomplete body times out`() throws {
    let server = try server(\.body, .milliseconds(300))
    let slow = try server.client()
    slow.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
    let sender = Thread { while slow.send("a") { usleep(20_000) } }
    sender.start()
    let responses = try slow.responses()
    #expect(responses.map(\.status) == [408] && responses[0].closes)
    #expect(server.routes.calls(of: "/here") == 0)
  }

  @Test func `A client that does not receive its response is disconnected`() async throws {
    let server = try server(\.write, .milliseconds(300))
    let slow = try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    slow.get("/large")
    try await waitUntil { server.log.all.count == 1 }
    try await waitUntil { server.server.load.connections == 0 }
    #expect(try slow.waitForClose() < 1 << 17)
  }

  @Test func `An idle connection is closed without a response`() throws {
    let server = try server(\.idle, .milliseconds(200))
    let silent = try server.client()
    #expect(try silent.responses().isEmpty)
    // On a busy machine the connection may be closed before the request is sent.
    var statuses: [Int] = []
    while statuses.isEmpty {
      let used = try server.client()
      used.get("/here")
      statuses = try used.responses().map(\.status)
    }
    #expect(statuses == [200])
  }

  @Test func `A client that does not close after the last response is disconnected`() async throws {
    let server = try server(\.linger, .milliseconds(200))
    let client = try server.client()
    client.send("nonsense\r\n")
    #expect(try client.response().status == 400)
    try await waitUntil { server.server.load.connections == 0 }
  }

  @Test func `Two hundred slow clients do not delay another`() async throws {
    let server = try server(\.head, HangGuard.step)
    let quick = try server.client()
    try await Self.withSlowClients(of: server) { (slow) throws in
      // Every response arrives while all slow clients are still connected and sending.
      for _ in 0..<300 {
        quick.get("/here")
        #expect(try quick.response().status == 200)
      }
      #expect(server.server.load.connections == slow.count + 1)
    }
  }

  @Test func `Two hundred slow clients time out`() async throws {
    try await Self.withSlowClients(of: server(\.head, .milliseconds(1500))) { (slow) throws in
      for client in slow { #expect(try client.response().status == 408) }
    }
  }

  /// Calls `body` while 200 clients send a byte every 50 ms.
  private static func withSlowClients(
    of server: TestServer, _ body: ([RawHTTPClient]) throws -> Void
  ) async throws {
    let clients = try (0..<200).map { _ in try server.client() }
    let isOver = Mutex(false)
    async let dripping: Void = onNewThread {
      while !isOver.withLock({ $0 }) {
        for client in clients { client.send("G") }
        usleep(50_000)
      }
    }
    // Stops the slow clients even if an error is thrown.
    defer { isOver.withLock { $0 = true } }
    try body(clients)
    isOver.withLock { $0 = true }
    await dripping
  }
}
