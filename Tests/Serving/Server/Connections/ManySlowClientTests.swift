import Foundation
import Synchronization
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

private let slowClientCount =
  Platform.environment("TENSORIO_SLOW_CLIENTS").flatMap { Int($0) } ?? 0

/// Slow clients in realistic numbers, with the default timeouts.
///
/// `TENSORIO_SLOW_CLIENTS=1000 swift test --filter ManySlowClientTests` takes about 90 seconds.
@Suite(.enabled(if: slowClientCount > 0), .serialized, .hangGuard, .ownThreads)
struct ManySlowClientTests {
  /// The phase in which a client is slow.
  enum SlowPhase: CaseIterable {
    case head, body, response

    var start: String {
      switch self {
      case .head: "G"
      case .body: "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
      case .response: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
    }

    var timeout: Double { self == .head ? 10 : 30 }
  }

  @Test(arguments: SlowPhase.allCases)
  func `Slow clients time out, use little memory, and do not delay others`(
    phase: SlowPhase
  ) async throws {
    let server = try TestServer { $0.maxQueuedRequests = slowClientCount }
    let quick = try server.client()
    let unloaded = try Self.latencyP99(quick)
    #expect(!TestRoutes.large.isEmpty)  // Allocates it before memory is measured.
    let memory = try #require(ProcessMemory.residentBytes)
    let slow = try (0..<slowClientCount).map { _ in
      try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    }
    for client in slow { client.send(phase.start) }
    let isOver = Mutex(false)
    async let dripping: Void = onNewThread {
      while !isOver.withLock({ $0 }) {
        if phase != .response { for client in slow { client.send("a") } }
        sleep(1)
      }
    }
    let loaded = try Self.latencyP99(quick)
    let growth = (try #require(ProcessMemory.residentBytes) - memory) / slowClientCount
    try await waitUntil { Self.timeouts(server, phase).count == slowClientCount }
    isOver.withLock { $0 = true }
    await dripping
    let times = Self.timeouts(server, phase).sorted()
    print(
      "\(phase): p99 \(unloaded) unloaded, \(loaded) loaded; \(growth) bytes per connection; "
        + "timed out after \(times[0]) to \(times[times.count - 1])")
    #expect(loaded <= max(unloaded * 2, .milliseconds(10)))
    #expect(growth <= 100 << 10)
    #expect(times.allSatisfy { abs($0 / .seconds(1) - phase.timeout) <= 1 })
  }

  @Test func `Streams that wait for their producers use little memory and time`() async throws {
    let server = try TestServer { $0.maxQueuedRequests = slowClientCount }
    let clients = try (0..<slowClientCount).map { _ in
      try RawHTTPClient(port: server.server.port)
    }
    // What a connection takes that has been used is not part of a stream.
    for client in clients { client.get("/here") }
    for client in clients { #expect(try client.response().status == 200) }
    let memory = try #require(ProcessMemory.residentBytes)
    for client in clients { client.get("/ticks") }
    let streams = server.routes.streams
    try await waitUntil { streams.started == slowClientCount }
    try await waitUntil { streams.sentBytes >= 3 * slowClientCount }
    let growth = (try #require(ProcessMemory.residentBytes) - memory) / slowClientCount
    let latency = try Self.latencyP99(server.client())
    print("\(growth) bytes per stream; p99 \(latency) beside streams")
    // The frames of the producers' functions are larger without optimization.
    #if DEBUG
      #expect(growth <= 16 << 10)
    #else
      #expect(growth <= 8 << 10)
    #endif
    streams.gate.open()
    for client in clients {
      let text = try client.response().text
      #expect(text.count > 2 && text.allSatisfy { $0 == "t" })
    }
    try await waitUntil { streams.running == 0 }
  }

  /// Returns the times after which slow clients were disconnected, without their time in the queue.
  private static func timeouts(_ server: TestServer, _ phase: SlowPhase) -> [Duration] {
    server.log.all
      .filter { phase == .response ? $0.routePattern == "/large" : $0.status == 408 }
      .map { $0.duration - ($0.queueDuration ?? .zero) }
  }

  /// Returns the 99th percentile of the response time.
  private static func latencyP99(_ client: RawHTTPClient) throws -> Duration {
    let times = try (0..<2000).map { _ in
      try ContinuousClock().measure {
        client.get("/v2/health/live")
        _ = try client.response()
      }
    }
    return times.sorted()[1980]
  }
}
