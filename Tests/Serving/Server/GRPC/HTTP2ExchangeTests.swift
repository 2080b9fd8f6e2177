import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests of HTTP on connections of HTTP/2.
@Suite(.hangGuard, .ownThreads) struct HTTP2ExchangeTests {
  private static func get(
    _ path: String, _ client: HTTP2TestClient, method: String = "GET"
  ) throws -> HTTP2Stream {
    let stream = try client.begin(path, contentType: "text/plain", method: method)
    client.send([], stream, ends: true)
    return stream
  }

  private static func text(_ stream: HTTP2Stream) -> String {
    String(decoding: stream.incoming, as: UTF8.self)
  }

  @Test func `Routes have the same responses as over HTTP 1.1`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let echo = try client.begin("/echo", contentType: "text/plain")
    let body = [UInt8](repeating: 7, count: 300_000)
    client.send(Array(body[..<1000]), echo)
    client.send(Array(body[1000...]), echo, ends: true)
    let response = try client.response(of: echo)
    #expect(response[":status"] == "200" && response["content-length"] == "300000")
    #expect(echo.incoming == body && response.streamError == 0)
    #expect(response["connection"] == nil && response["x-request-id"]?.isEmpty == false)
    for (path, method, status) in [
      ("/health", "GET", "200"), ("/health", "HEAD", "200"), ("/nothing", "GET", "404"),
      ("/echo", "GET", "405"), ("/a//b", "GET", "400"), ("/echo", "NONSENSE", "501"),
    ] {
      let stream = try Self.get(path, client, method: method)
      #expect(try client.response(of: stream)[":status"] == status)
      #expect(stream.incoming.isEmpty == (status == "200"))
    }
    #expect(server.log.all.first?.status == 200 && server.log.all.first?.requestBytes == 300_000)
  }

  @Test func `A port for gRPC has no other routes`() throws {
    let server = try GRPCTestServer(grpcPort: 0)
    let client = try HTTP2TestClient(port: try #require(server.server.grpcPort))
    #expect(try client.response(of: try Self.get("/health", client))[":status"] == "405")
    let echo = try client.begin("/echo", contentType: "text/plain")
    client.send([1], echo, ends: true)
    #expect(try client.response(of: echo)[":status"] == "415")
  }

  @Test func `A fast stream does not keep the event loop from other connections`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let flood = try Self.get("/flood", client)
    while flood.incoming.isEmpty { try client.receive() }
    let (other, http) = (try server.client(), try RawHTTPClient(port: server.server.port))
    for _ in 0..<20 {
      try client.receive()
      #expect(try other.response(of: try Self.get("/s", other)).streamError == 0)
      http.get("/here")
      #expect(try http.response().status == 200)
    }
  }

  @Test func `A body that is too large, and one without a token, are rejected`() throws {
    let server = try GRPCTestServer { $0.token = "secret" }
    let client = try server.client()
    let unauthorized = try client.begin("/echo", contentType: "text/plain")
    client.send([1], unauthorized, ends: true)
    let response = try client.response(of: unauthorized)
    #expect(response[":status"] == "401" && response["www-authenticate"] != nil)
    let large = try client.begin(
      "/echo", [("authorization", "Bearer secret")], contentType: "application/json")
    client.send([UInt8](repeating: 7, count: HTTPLimits.maxJSONBodyBytes + 1), large, ends: true)
    while large[":status"] == nil { try client.receive() }
    #expect(large[":status"] == "413")
  }

  @Test func `A stream has frames and no length`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    for (path, text) in [
      ("/s", "abcde"), ("/inline", "abcde"), ("/empty", ""), ("/gaps", "abcde"),
      ("/late", "ab" + StreamRoutes.errorEvent),
    ] {
      let stream = try Self.get(path, client)
      let response = try client.response(of: stream)
      #expect(response[":status"] == "200" && response.streamError == 0)
      #expect(Self.text(stream) == text && response["content-length"] == nil)
      #expect(response["connection"] == nil && response["transfer-encoding"] == nil)
    }
    let fields = try client.response(of: try Self.get("/fields", client))
    #expect(fields["x-good"] == "c" && fields["x-evil"] == nil && fields["content-length"] == nil)
    let early = try Self.get("/early", client)
    #expect(try client.response(of: early)[":status"] == "500" && !early.incoming.isEmpty)
    let cut = try client.response(of: try Self.get("/late-audio", client))
    #expect(cut.streamError == 2)
    #expect(try client.response(of: try Self.get("/s", client)).streamError == 0)
  }

  @Test func `A request can end with its header fields`() async throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    client.flush()
    func field(_ name: String, _ value: String) -> [UInt8] {
      [0, UInt8(name.utf8.count)] + name.utf8 + [UInt8(value.utf8.count)] + value.utf8
    }
    client.sendFrame(
      type: 1, flags: 5, stream: 1,
      field(":method", "GET") + field(":scheme", "http") + field(":path", "/s")
        + field(":authority", "localhost"))
    try await waitUntil { server.log.all.count == 1 }
    #expect(server.log.all[0].status == 200 && server.log.all[0].responseBytes == 5)
  }

  @Test func `A stream whose window is full ends alone`() async throws {
    let server = try GRPCTestServer { $0.timeouts.write = .seconds(1) }
    let client = try server.client()
    let flood = try Self.get("/flood", client)
    client.stalledStream = flood.id
    while flood.incoming.count < HTTP2Limits.streamWindowBytes {
      try client.receive()
      if flood.incoming.count % 7 == 0 {
        #expect(try client.response(of: try Self.get("/s", client)).streamError == 0)
      }
    }
    #expect(server.streams.sentBytes <= flood.incoming.count + 2 * BodyWriter.highWaterMark)
    #expect(try client.response(of: flood).streamError == 8)
    #expect(flood.incoming.count == HTTP2Limits.streamWindowBytes)
    try await waitUntil { server.streams.running == 0 }
    let stream = try Self.get("/s", client)
    #expect(try client.response(of: stream).streamError == 0 && Self.text(stream) == "abcde")
  }

  @Test func `A stream that its client resets cancels the producer`() async throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let stream = try Self.get("/paused", client)
    while stream.incoming.isEmpty { try client.receive() }
    client.session.cancel(stream)
    client.flush()
    try await waitUntil { server.streams.canceled == 1 && server.streams.running == 0 }
    #expect(server.log.all.map(\.status) == [499])
    #expect(try client.response(of: try Self.get("/s", client)).streamError == 0)
  }

  @Test func `Streams that are reset at once end the connection, and leave nothing`() async throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    for _ in 0..<(HTTP2FloodGuard.maxResets * 3 / 2) {
      let stream = try Self.get("/paused", client)
      client.session.cancel(stream)
      client.flush()
    }
    try client.waitForClose()
    #expect(client.frames.contains { $0.errorCode == HTTP2TestClient.enhanceYourCalm })
    try await waitUntil { server.streams.running == 0 && server.server.load.connections == 0 }
  }

  @Test(arguments: [("content-length", "5"), ("connection", "keep-alive")])
  func `Fields that HTTP 2 does not allow are stream errors`(name: String, value: String) throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let stream = try client.begin("/echo", [(name, value)], contentType: "text/plain")
    client.send([1, 2, 3], stream, ends: true)
    #expect(try client.response(of: stream).streamError == UInt32(HTTP2TestClient.protocolError))
    #expect(try client.response(of: try Self.get("/s", client)).streamError == 0)
  }

  @Test func `A stopping server completes streams`() async throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let stream = try Self.get("/paused", client)
    while stream.incoming.isEmpty { try client.receive() }
    server.server.stop()
    while !client.frames.contains(where: { $0.type == HTTP2TestClient.Frame.goAway }) {
      try client.receive()
    }
    server.gate.open()
    #expect(try client.response(of: stream).streamError == 0 && Self.text(stream) == "abcde")
    try await waitUntil { server.isOver }
  }

  @Test(arguments: [true, false])
  func `Streams that are not done in time are ended or reset`(isText: Bool) async throws {
    let server = try GRPCTestServer { $0.timeouts.shutdown = .milliseconds(300) }
    let client = try server.client()
    let stream = try Self.get(isText ? "/paused" : "/paused-audio", client)
    while stream.incoming.isEmpty { try client.receive() }
    server.server.stop()
    #expect(try client.response(of: stream).streamError == (isText ? 0 : 2))
    #expect(Self.text(stream) == (isText ? "ab" + StreamRoutes.errorEvent : "ab"))
    try await waitUntil { server.isOver && server.streams.running == 0 }
  }

  @Test func `Producers that are late end their streams`() throws {
    let server = try GRPCTestServer {
      ($0.timeouts.silence, $0.timeouts.request) = (.milliseconds(800), .milliseconds(800))
      $0.timeouts.heartbeat = .milliseconds(100)
    }
    let client = try server.client()
    let (silent, late) = (try Self.get("/paused", client), try Self.get("/prefill-audio", client))
    #expect(try client.response(of: silent).streamError == 0)
    #expect(Self.text(silent).hasPrefix("ab:\n\n:\n\n"))
    #expect(Self.text(silent).hasSuffix(":\n\n" + StreamRoutes.errorEvent))
    #expect(try client.response(of: late)[":status"] == "503")
  }
}
