import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Clients that use up the connections of a server, whose time limits are too long to help.
@Suite(.hangGuard, .ownThreads) struct ConnectionLimitTests {
  private static let maxConnections = 40
  /// The connections that are not reserved for health checks.
  private static let ordinaryConnections = 35

  /// What clients do that do not finish a request.
  enum Client: CaseIterable {
    case idle, slowHead, slowBody, betweenRequests, unreadResponse, preface, incompleteHeaders
    case streamsWithoutMessage, openCalls

    var bytes: [UInt8] {
      switch self {
      case .idle: []
      case .slowHead: Array("GET /here HTTP/1.1\r\nA: ".utf8)
      case .slowBody:
        Array("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na".utf8)
      case .betweenRequests: Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      case .unreadResponse: Array("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      case .preface: HTTP2Preface.bytes
      case .incompleteHeaders: RawFrames.start + RawFrames.headers("/test.Test/Echo", flags: 0)
      case .streamsWithoutMessage:
        RawFrames.start + RawFrames.headers("/test.Test/Echo", stream: 1)
          + RawFrames.headers("/test.Test/Echo", stream: 3)
      case .openCalls: RawFrames.start + RawFrames.headers("/test.Test/Chat", stream: 1)
      }
    }
  }

  private func server(
    _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws -> GRPCTestServer {
    try GRPCTestServer {
      $0.maxConnections = Self.maxConnections
      for path: WritableKeyPath<HTTPTimeouts, Duration> in [\.head, \.body, \.write, \.idle] {
        $0.timeouts[keyPath: path] = HangGuard.step * 10
      }
      configure(&$0)
    }
  }

  @Test(arguments: Client.allCases, [1, 4])
  func `Two hundred clients that do not finish leave room for others`(
    _ kind: Client, eventLoops: Int
  ) throws {
    let server = try server { $0.eventLoops = eventLoops }
    let port = server.server.port
    let crowd = try (0..<200).map { _ in
      let client = try RawHTTPClient(port: port, receiveBuffer: 4096)
      client.send(kind.bytes)
      return client
    }
    func status(of path: String) throws -> Int {
      let client = try RawHTTPClient(port: port)
      client.get(path)
      return try client.response().status
    }
    #expect(try status(of: "/health") == 200)
    // A busy machine may take long for the requests of the crowd, whose connections stay meanwhile.
    var here = try status(of: "/here")
    while here == 503 { here = try status(of: "/here") }
    #expect(here == 200)
    #expect(try status(of: "/health") == 200)
    #expect(server.server.load.evictedConnections >= 200 - Self.maxConnections)
    #expect(server.server.load.connections <= Self.maxConnections)
    _ = crowd
  }

  @Test(arguments: [1, 2, 4])
  func `Requests that are processed keep their connections, and health has others`(
    eventLoops: Int
  ) async throws {
    let server = try server { ($0.eventLoops, $0.maxQueuedRequests) = (eventLoops, 100) }
    let port = server.server.port
    let active = try (0..<Self.ordinaryConnections).map { _ in
      let client = try RawHTTPClient(port: port)
      client.get("/gate")
      return client
    }
    try await waitUntil { server.server.load.connections == Self.ordinaryConnections }
    try await waitUntil { server.server.load.queuedRequests == Self.ordinaryConnections - 2 }
    for _ in 0..<Self.maxConnections {
      let probe = try RawHTTPClient(port: port)
      probe.get("/health")
      #expect(try probe.responses().map(\.status) == [200])
    }
    let other = try RawHTTPClient(port: port)
    other.get("/here")
    let response = try other.response()
    #expect(response.status == 503 && response.closes && response["Retry-After"] != nil)
    server.gate.open()
    for client in active { #expect(try client.response().status == 200) }
    #expect(server.server.load.evictedConnections == 0)
  }

  @Test(arguments: [1, 2])
  func `A connection beyond the limit waits until another one can be closed`(
    eventLoops: Int
  ) async throws {
    let server = try server { ($0.eventLoops, $0.maxConnections) = (eventLoops, 1) }
    let active = try RawHTTPClient(port: server.server.port)
    active.get("/gate")
    try await waitUntil { server.gate.waiterCount == 1 }
    let late = try RawHTTPClient(port: server.server.port)
    late.get("/health")
    try await Task.sleep(for: .milliseconds(800))
    #expect(server.server.load.connections == 1)
    #expect(server.log.all.isEmpty)
    server.gate.open()
    #expect(try active.response().status == 200)
    #expect(try late.response().status == 200)
    #expect(server.server.load.evictedConnections == 1)
  }

  @Test func `A client that has sent a request stays when others have not`() async throws {
    let server = try server()
    let port = server.server.port
    let used = try RawHTTPClient(port: port)
    used.get("/health")
    #expect(try used.response().status == 200)
    let crowd = try (0..<200).map { _ in try RawHTTPClient(port: port) }
    try await waitUntil { server.server.load.evictedConnections >= 100 }
    used.get("/here")
    #expect(try used.response().status == 200)
    _ = crowd
  }

  @Test(arguments: [Client.idle, .slowHead, .slowBody, .betweenRequests, .preface, .openCalls])
  func `All of them time out`(_ kind: Client) async throws {
    let server = try GRPCTestServer {
      for path: WritableKeyPath<HTTPTimeouts, Duration> in [
        \.head, \.body, \.write, \.idle, \.linger, \.openCall,
      ] { $0.timeouts[keyPath: path] = .milliseconds(300) }
    }
    let crowd = try (0..<20).map { _ in
      let client = try RawHTTPClient(port: server.server.port)
      client.send(kind.bytes)
      return client
    }
    try await waitUntil { server.server.load.connections == 0 }
    #expect(server.server.load.evictedConnections == 0)
    _ = crowd
  }
}
