import Foundation
import Synchronization
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

/// What a server does with clients that take their time; the deadlines are scaled down.
@Suite(.timeLimit(.minutes(1))) struct SlowClientTests {
  private func server(
    _ path: any WritableKeyPath<HTTPTimeouts, Duration> & Sendable, _ patience: Duration
  ) throws -> TestServer {
    try TestServer { $0.timeouts[keyPath: path] = patience }
  }

  @Test func `a head that does not come whole is answered`() throws {
    let server = try server(\.head, .milliseconds(300))
    let slow = try server.client()
    let began = ContinuousClock.now
    let sender = Thread { while slow.send("G") { usleep(20_000) } }
    sender.start()
    #expect(try slow.responses().map(\.status) == [408])
    #expect((.milliseconds(290)..<(.seconds(3))).contains(began.duration(to: .now)))
  }

  @Test func `a body that does not come whole is answered`() throws {
    let server = try server(\.body, .milliseconds(300))
    let slow = try server.client()
    slow.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
    let sender = Thread { while slow.send("a") { usleep(20_000) } }
    sender.start()
    let answers = try slow.responses()
    #expect(answers.map(\.status) == [408] && answers[0].closes)
    #expect(server.routes.calls(of: "/here") == 0)
  }

  @Test func `a client that does not take its answer is cut`() async throws {
    let server = try server(\.write, .milliseconds(300))
    let slow = try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    slow.get("/large")
    try await waitUntil { server.log.all.count == 1 }
    try await waitUntil { server.server.load.connections == 0 }
    #expect(try slow.waitForClose() < 1 << 17)
  }

  @Test func `a connection on which nothing happens is ended without a word`() throws {
    let server = try server(\.idle, .milliseconds(200))
    let silent = try server.client()
    #expect(try silent.responses().isEmpty)
    let used = try server.client()
    used.get("/here")
    #expect(try used.responses().map(\.status) == [200])
  }

  @Test func `a client that never ends is not waited for when it was told`() async throws {
    let server = try server(\.linger, .milliseconds(200))
    let client = try server.client()
    client.send("nonsense\r\n")
    #expect(try client.response().status == 400)
    try await waitUntil { server.server.load.connections == 0 }
  }

  @Test func `two hundred slow clients do not slow a quick one`() async throws {
    let server = try server(\.head, .milliseconds(1500))
    let quick = try server.client()
    let quiet = try Self.slowAnswer(quick)
    let slow = try (0..<200).map { _ in try server.client() }
    let began = ContinuousClock.now
    let isOver = Mutex(false)
    async let dripping: Void = onNewThread {
      while !isOver.withLock({ $0 }) {
        for client in slow { client.send("G") }
        usleep(50_000)
      }
    }
    // Whatever is thrown, nobody drips on for ever.
    defer { isOver.withLock { $0 = true } }
    let loaded = try Self.slowAnswer(quick)
    #expect(loaded < max(quiet * 2, .milliseconds(250)))
    for client in slow { #expect(try client.response().status == 408) }
    #expect((.milliseconds(1400)..<(.seconds(10))).contains(began.duration(to: .now)))
    isOver.withLock { $0 = true }
    await dripping
  }

  /// The time in which 99 of 100 answers come.
  private static func slowAnswer(_ client: RawHTTPClient) throws -> Duration {
    let times = try (0..<300).map { _ in
      try ContinuousClock().measure {
        client.get("/here")
        _ = try client.response()
      }
    }
    return times.sorted()[296]
  }
}
