import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Connections of HTTP/2: how they begin and end, and clients that abuse them.
@Suite(.hangGuard, .ownThreads) struct HTTP2ConnectionTests {
  private static let echo = GRPCTestServer.path("Echo")

  @Test func `One port serves both protocols`() throws {
    let server = try GRPCTestServer()
    let http = try RawHTTPClient(port: server.server.port)
    http.get("/here")
    #expect(try http.response().status == 200)
    for first in ["P", "PR", "PRI * HTTP/2.0"] {
      let other = try RawHTTPClient(port: server.server.port)
      other.send(first)
      other.send("OST /here HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try other.response().status == (first == "P" ? 405 : first == "PR" ? 501 : 400))
    }
    let client = try server.client()
    let bytes = try #require(client.session.bytesToSend())
    for byte in bytes { client.socket.send([byte]) }
    #expect(try client.call(Self.echo, [9]).messages == [[9]])
  }

  @Test func `A second port serves HTTP/2 only`() throws {
    let server = try GRPCTestServer(grpcPort: 0)
    let port = try #require(server.server.grpcPort)
    #expect(port != server.server.port)
    #expect(try HTTP2TestClient(port: port).call(Self.echo, [1]).messages == [[1]])
    let http = try RawHTTPClient(port: port)
    http.get("/here")
    #expect(try http.waitForClose() == 0)
  }

  @Test func `Without HTTP/2 its preface is an unsupported version`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(HTTP2Preface.bytes)
    #expect(try client.response().status == 505)
  }

  @Test func `A reset stops a request that waits, which never runs`() async throws {
    let server = try GRPCTestServer { $0.workerThreads = 1 }
    let client = try server.client()
    let active = try client.start(GRPCTestServer.path("Gate"))
    try await waitUntil { server.gate.waiterCount == 1 }
    let waiting = try client.start(Self.echo)
    try await waitUntil { server.server.load.queuedRequests == 1 }
    client.session.cancel(waiting)
    client.flush()
    try await waitUntil { server.server.load.queuedRequests == 0 }
    server.gate.open()
    #expect(try client.response(of: active).messages == [[1]])
    #expect(server.calls(of: "Echo") == 0)
    let canceled = try #require(server.log.all.first { $0.path == Self.echo })
    #expect(canceled.status == 499 && canceled.grpcStatus == 1)
  }

  @Test func `A client that disconnects stops the requests that wait`() async throws {
    let server = try GRPCTestServer { $0.workerThreads = 1 }
    do {
      let client = try server.client()
      _ = try client.start(GRPCTestServer.path("Gate"))
      try await waitUntil { server.gate.waiterCount == 1 }
      for _ in 0..<5 { _ = try client.start(Self.echo) }
      try await waitUntil { server.server.load.queuedRequests == 5 }
    }
    try await waitUntil { server.server.load.queuedRequests == 0 }
    server.gate.open()
    #expect(try server.client().call(GRPCTestServer.path("Gate")).status == 0)
    #expect(server.calls(of: "Echo") == 0)
  }

  @Test func `A deadline ends a call, and one that waits never runs`() async throws {
    let server = try GRPCTestServer { $0.workerThreads = 1 }
    let client = try server.client()
    let timeout = [HTTP2Stream.Field("grpc-timeout", "20m")]
    let active = try client.start(GRPCTestServer.path("Gate"))
    try await waitUntil { server.gate.waiterCount == 1 }
    let waiting = try client.start(Self.echo, [], timeout)
    #expect(try client.response(of: waiting).status == GRPCStatus.deadlineExceeded.rawValue)
    let incomplete = try client.begin(Self.echo, timeout)
    client.flush()
    #expect(try client.response(of: incomplete).status == GRPCStatus.deadlineExceeded.rawValue)
    server.gate.open()
    #expect(try client.response(of: active).status == 0)
    #expect(try client.call(GRPCTestServer.path("Gate")).status == 0)
    #expect(server.calls(of: "Echo") == 0)
  }

  @Test func `A deadline ends a call that runs`() throws {
    let client = try GRPCTestServer().client()
    let response = try client.call(GRPCTestServer.path("Gate"), [], [("grpc-timeout", "100m")])
    #expect(response.status == GRPCStatus.deadlineExceeded.rawValue)
    #expect(try client.call(Self.echo, [1]).messages == [[1]])
  }

  @Test func `A full queue rejects calls`() async throws {
    let server = try GRPCTestServer {
      $0.workerThreads = 1
      $0.maxQueuedRequests = 0
    }
    let client = try server.client()
    let active = try client.start(GRPCTestServer.path("Gate"))
    try await waitUntil { server.gate.waiterCount == 1 }
    #expect(try client.call(Self.echo).status == GRPCStatus.unavailable.rawValue)
    server.gate.open()
    #expect(try client.response(of: active).status == 0)
  }

  @Test func `A stopping server announces it and completes its calls`() async throws {
    let server = try GRPCTestServer { $0.timeouts.drainGrace = .milliseconds(50) }
    let client = try server.client()
    let idle = try server.client()
    #expect(try idle.call(Self.echo).status == 0)
    let active = try client.start(GRPCTestServer.path("Gate"))
    let chat = try client.begin(GRPCTestServer.path("Chat"))
    client.send(HTTP2TestClient.framed([1]), chat)
    #expect(try client.messages(1, of: chat) == [[1]])
    try await waitUntil { server.gate.waiterCount == 1 }
    server.server.stop()
    #expect(try client.response(of: chat).status == GRPCStatus.unavailable.rawValue)
    try idle.waitForClose()
    #expect(
      idle.frames.filter { $0.type == HTTP2TestClient.Frame.goAway }.map(\.errorCode) == [0, 0])
    server.gate.open()
    #expect(try client.response(of: active).messages == [[1]])
    try client.waitForClose()
    for client in [client, idle] { client.socket.shutdownWrite() }
    try await waitUntil { server.isOver }
  }

  @Test func `An idle connection ends`() throws {
    let server = try GRPCTestServer { $0.timeouts.idle = .milliseconds(20) }
    var client = try server.client()
    // On a busy machine the connection may be closed before the call is sent.
    while (try? client.call(Self.echo).status) != 0 { client = try server.client() }
    try client.waitForClose()
    #expect(client.frames.last { $0.type == HTTP2TestClient.Frame.goAway }?.errorCode == 0)
  }
}

/// Clients that only cause work.
@Suite(.hangGuard, .ownThreads) struct HTTP2FloodTests {
  private static let echo = GRPCTestServer.path("Echo")

  /// Expects that the server ends the connection, and serves others.
  private static func expectEnd(_ client: HTTP2TestClient, _ server: GRPCTestServer) throws {
    try client.waitForClose()
    let end = client.frames.last { $0.type == HTTP2TestClient.Frame.goAway }
    #expect(end?.errorCode == HTTP2TestClient.enhanceYourCalm)
    #expect(try server.client().call(echo, [1]).messages == [[1]])
  }

  @Test func `Rapid resets end the connection`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    for _ in 0..<(HTTP2FloodGuard.maxResets * 2) {
      let stream = try client.begin(Self.echo)
      client.flush()
      client.session.cancel(stream)
      client.flush()
    }
    try Self.expectEnd(client, server)
    #expect(server.calls(of: "Echo") == 1)
  }

  /// Uncompressed header fields of a call.
  private static let fields: [UInt8] =
    [0x83, 0x86, 4, UInt8(echo.utf8.count)] + echo.utf8 + [1, 9] + "localhost".utf8
    + [0x0F, 0x10, 16] + "application/grpc".utf8

  @Test func `Invalid frames that make the server reset streams end the connection`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    #expect(try client.call(Self.echo).status == 0)
    for number in 0..<Int32(HTTP2FloodGuard.maxResets * 2) {
      let stream = 1001 + 2 * number
      client.sendFrame(type: 1, flags: 4, stream: stream, Self.fields)
      // A window must not exceed 2^31 - 1 bytes.
      client.sendFrame(type: 8, stream: stream, [127, 255, 255, 255])
    }
    try client.waitForClose()
    // Streams that are not reset yet count as open, so that the limit for those may be reached first.
    let end = client.frames.last { $0.type == HTTP2TestClient.Frame.goAway }?.errorCode
    #expect([HTTP2TestClient.enhanceYourCalm, HTTP2TestClient.protocolError].contains(end))
    #expect(server.calls(of: "Echo") == 1)
    #expect(try server.client().call(Self.echo, [1]).messages == [[1]])
  }

  @Test func `Resets after answers are permitted`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    for number in 0..<(HTTP2FloodGuard.maxResets * 2) {
      #expect(try client.call(Self.echo).status == 0)
      guard number % 2 == 0 else { continue }
      let stream = try client.begin(Self.echo)
      client.flush()
      client.session.cancel(stream)
      client.flush()
    }
    #expect(try client.call(Self.echo).status == 0)
  }

  @Test(
    arguments: [(6, [UInt8](repeating: 0, count: 8)), (4, []), (2, [0, 0, 0, 0, 1])]
      as [(UInt8, [UInt8])])
  func `Control frames without calls end the connection`(type: UInt8, payload: [UInt8]) throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    #expect(try client.call(Self.echo).status == 0)
    for _ in 0...(HTTP2FloodGuard.maxControlFrames + 1) {
      client.sendFrame(type: type, stream: type == 2 ? 1001 : 0, payload)
    }
    try Self.expectEnd(client, server)
  }

  @Test func `Endless continuations of header fields end the connection`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    #expect(try client.call(Self.echo).status == 0)
    // A field whose name and value are not compressed, and no end of the fields.
    client.sendFrame(type: 1, stream: 1001, [0, 1, 97, 1, 98])
    for _ in 0...HTTP2Limits.maxContinuations {
      client.sendFrame(type: 9, stream: 1001, [0, 1, 97, 1, 98])
    }
    try client.waitForClose()
    #expect(try server.client().call(Self.echo, [1]).messages == [[1]])
  }

  @Test func `Bytes that are not frames end the connection`() throws {
    let server = try GRPCTestServer()
    for byte in [UInt8(0), 1, 255] {
      let client = try RawHTTPClient(port: server.server.port)
      client.send(HTTP2Preface.bytes + [UInt8](repeating: byte, count: 1000))
      try client.waitForClose()
    }
    #expect(try server.client().call(Self.echo, [1]).messages == [[1]])
  }
}
