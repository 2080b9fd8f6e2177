import Foundation
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Bodies that are made while they are sent, byte for byte.
@Suite(.hangGuard, .ownThreads) struct StreamTests {
  @Test(arguments: ["/s", "/inline"])
  func `A stream has chunks and no length`(path: String) throws {
    let server = try TestServer()
    let client = try server.client()
    for _ in 0..<2 {
      client.get(path)
      let response = try client.response()
      #expect(response.status == 200 && response.text == "abcde" && !response.closes)
      #expect(response["Transfer-Encoding"] == "chunked" && response["Content-Length"] == nil)
    }
  }

  @Test func `Pipelined requests are answered after the last chunk`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(Self.get("/s") + Self.get("/paused") + Self.get("/here") + Self.get("/s"))
    #expect(try client.response().text == "abcde")
    let streams = server.routes.streams
    try await waitUntil { streams.running == 1 && streams.started == 2 }
    // A client that sends while a body is made is not read.
    client.send(Self.get("/here?top=later"))
    #expect(server.routes.calls(of: "/here") == 0)
    server.routes.gate.open()
    let texts = try (0..<4).map { _ in try client.response().text }
    #expect(texts == ["abcde", "here", "abcde", "later"])
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n"])
  func `A stream of HTTP 1.0 ends with the connection`(fields: String) throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("GET /s HTTP/1.0\r\n\(fields)\r\n")
    let response = try client.response()
    #expect(response.text == "abcde" && response.closes && response["Transfer-Encoding"] == nil)
    #expect(!client.isReset)
    try client.waitForClose()
  }

  @Test func `HEAD has the head of the stream, and runs no producer`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("HEAD /s HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get("/here"))
    let response = try client.response(bodyless: true)
    #expect(response["Transfer-Encoding"] == "chunked" && response["Content-Length"] == nil)
    #expect(try client.response().text == "here")
    #expect(server.routes.streams.started == 0)
  }

  @Test(arguments: [("/empty", ""), ("/gaps", "abcde")])
  func `Empty parts do not end a body`(path: String, text: String) throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(Self.get(path) + Self.get("/here"))
    #expect(try client.response().text == text)
    #expect(try client.response().text == "here")
  }

  @Test func `An empty part sends the head`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/begun")
    let bytes = try client.receivedBytes()
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\r\n\r\n"))
  }

  @Test func `An error after the first byte becomes an event`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(Self.get("/late") + Self.get("/here"))
    #expect(try client.response().text == "ab" + StreamRoutes.errorEvent)
    #expect(try client.response().text == "here")
    try await waitUntil { server.log.all.count == 2 }
    let summary = server.log.all[0]
    #expect(summary.status == 200 && summary.error?.code == "late")
    #expect(summary.responseBytes == 2 + StreamRoutes.errorEvent.utf8.count)
  }

  @Test func `An error without an event cuts the body`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(Self.get("/late-audio") + Self.get("/here"))
    #expect(try client.truncatedResponse().text == "ab")
    #expect(server.routes.calls(of: "/here") == 0)
    try await waitUntil { server.log.all.first?.error?.code == "late" }
  }

  @Test func `A body without chunks that is cut ends with a reset`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("GET /late-audio HTTP/1.0\r\n\r\n")
    try client.waitForClose()
    #expect(client.isReset)
  }

  @Test func `An error before the first byte has an ordinary response`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(Self.get("/early") + Self.get("/here"))
    let response = try client.response()
    #expect(response.status == 500 && response.text.contains(#""code":"late""#))
    #expect(response["Content-Length"] != nil && !response.closes)
    #expect(try client.response().text == "here")
  }

  @Test func `A request with two lengths does not reach a stream`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(
      "POST /s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        + "Content-Length: 5\r\n\r\n0\r\n\r\n")
    let response = try client.response()
    #expect(response.status == 400 && response.closes && server.routes.streams.started == 0)
  }

  @Test func `Trailers and compression are not used`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/s", headers: "TE: trailers, deflate\r\nAccept-Encoding: gzip\r\n")
    let response = try client.response()
    #expect(response.text == "abcde" && response["Content-Encoding"] == nil)
    #expect(response["Trailer"] == nil)
  }

  @Test func `A stream follows 100 Continue, which a rejected request does not get`() throws {
    let server = try TestServer { $0.token = "secret" }
    let client = try server.client()
    let head =
      "POST /s HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
    client.send(head + "Authorization: Bearer secret\r\n\r\n")
    #expect(try client.response(interim: true).status == 100)
    client.send("{}")
    #expect(try client.response(interim: true).text == "abcde")
    client.send(head + "\r\n")
    let response = try client.response(interim: true)
    #expect(response.status == 401 && response["WWW-Authenticate"] != nil)
    #expect(response["Content-Length"] != nil && server.routes.streams.started == 1)
  }

  @Test func `Producers cannot set framing headers`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/fields")
    let response = try client.response()
    #expect(response.text == "ab" && response["X-Good"] == "c" && response["X-Split"] == nil)
    #expect(response["Connection"] == nil && response["X-Evil"] == nil)
  }

  @Test func `A part of a megabyte arrives whole`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/large-part")
    let body = try client.response().body
    #expect(body == Array(String(repeating: "0123456789abcdef", count: 1 << 16).utf8))
  }

  @Test func `A full queue is answered before the head`() async throws {
    let server = try TestServer { ($0.workerThreads, $0.maxQueuedRequests) = (1, 0) }
    let (busy, client) = (try server.client(), try server.client())
    busy.get("/gate")
    try await waitUntil { server.routes.gate.waiterCount == 1 }
    client.get("/s")
    let response = try client.response()
    #expect(response.status == 503 && response["Retry-After"] == "1")
    #expect(response["Content-Length"] != nil && server.routes.streams.started == 0)
  }

  @Test(arguments: 0..<4)
  func `Responses do not depend on how requests are split`(seed: UInt64) throws {
    let server = try TestServer()
    let requests: [(String, bodyless: Bool)] = [
      (Self.get("/s"), false), (Self.get("/s") + Self.get("/here") + Self.get("/s"), false),
      ("GET /s HTTP/1.0\r\n\r\n", false),
      ("HEAD /s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", true),
      (Self.get("/empty") + Self.get("/gaps"), false), (Self.get("/late") + Self.get("/s"), false),
      (Self.get("/late-audio") + Self.get("/s"), false),
      (Self.get("/early") + Self.get("/s"), false),
      (
        "POST /s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
          + "Content-Length: 5\r\n\r\n0\r\n\r\n", false
      ),
      (
        "POST /s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\n{}\r\n0\r\n\r\n" + Self.get("/s"), false
      ),
    ]
    var generator = SeededGenerator(seed: seed)
    for (request, bodyless) in requests {
      let last = "GET /here HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      let bytes = Array((bodyless ? request : request + last).utf8)
      let whole = try Self.outcome(of: [bytes[...]], server, bodyless)
      let cuts = (0..<6).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
      let parts = zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
      #expect(try Self.outcome(of: parts, server, bodyless) == whole)
      #expect(!whole.isEmpty)
    }
  }

  /// Returns the statuses and bodies of the responses to bytes, and how the connection ends.
  private static func outcome(
    of parts: [ArraySlice<UInt8>], _ server: TestServer, _ bodyless: Bool
  ) throws -> [String] {
    let client = try server.client()
    for part in parts {
      if !part.isEmpty { client.send(Array(part)) }
      usleep(200)
    }
    var outcome: [String] = []
    do {
      while true {
        let response = try client.response(bodyless: bodyless)
        outcome.append("\(response.status) \(response.text) \(response.closes)")
      }
    } catch {
      return outcome + ["\(error)"]
    }
  }

  static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
}

/// Clients of streams that are slow, or leave.
@Suite(.hangGuard, .ownThreads) struct StreamClientTests {
  @Test func `A producer waits for a client that reads nothing, which is reset`() async throws {
    let server = try TestServer { $0.timeouts.write = .milliseconds(500) }
    let client = try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    client.get("/flood")
    try await waitUntil { server.routes.streams.sentBytes > 0 }
    let other = try server.client()
    other.get("/here")
    #expect(try other.response().text == "here")
    let streams = server.routes.streams
    try await waitUntil { streams.canceled == 1 && streams.running == 0 }
    // Linux doubles the size of a socket's buffer.
    #expect(
      server.routes.streams.sentBytes
        <= BodyWriter.highWaterMark + 2 * HTTPLimits.sendBufferBytes + 64 << 10)
    try client.waitForClose()
    #expect(client.isReset && server.log.all.contains { $0.status == 499 })
  }

  @Test func `Bytes that waited for their client arrive in order`() async throws {
    let server = try TestServer()
    let client = try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    client.get("/numbers")
    // The buffers are full once the producer waits.
    try await waitUntil {
      let count = server.routes.streams.sentBytes
      usleep(50_000)
      return count > BodyWriter.highWaterMark && server.routes.streams.sentBytes == count
    }
    #expect(server.routes.streams.running == 1)
    let response = try client.response()
    #expect(response.text == (0..<StreamRoutes.numberCount).map { "\($0)\n" }.joined())
    // All that waited for the client became few chunks.
    #expect(response.chunkSizes.count < StreamRoutes.numberCount / 10)
  }

  @Test func `A client that receives now and then is served beyond the write timeout`() async throws
  {
    let server = try TestServer { $0.timeouts.write = .seconds(1) }
    let client = try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    client.get("/flood")
    let start = ContinuousClock.now
    var count = 0
    while start.duration(to: .now) < .seconds(3) {
      count += try client.receivedBytes().count
      usleep(10_000)
    }
    #expect(count > 0 && server.routes.streams.running == 1)
  }

  @Test func `The limit of a stream ends it`() async throws {
    let server = try TestServer { $0.timeouts.stream = .milliseconds(500) }
    let client = try server.client()
    client.get("/paused")
    #expect(try client.response().text == "ab" + StreamRoutes.errorEvent)
    try await waitUntil { server.log.all.first?.error?.code == "timed-out" }
    try await waitUntil { server.routes.streams.running == 0 }
    client.get("/here")
    #expect(try client.response().text == "here")
  }

  @Test func `A silent producer ends the stream, although heartbeats are sent`() throws {
    let server = try TestServer {
      ($0.timeouts.silence, $0.timeouts.heartbeat) = (.milliseconds(800), .milliseconds(100))
    }
    let client = try server.client()
    client.get("/paused")
    let text = try client.response().text
    #expect(text.hasPrefix("ab:\n\n:\n\n") && text.hasSuffix(StreamRoutes.errorEvent))
  }

  @Test func `A producer that is late with its first byte has an ordinary response`() throws {
    let server = try TestServer { $0.timeouts.request = .milliseconds(300) }
    let client = try server.client()
    client.get("/prefill")
    let response = try client.response()
    #expect(response.status == 503 && response["Content-Length"] != nil)
    #expect(response.text.contains(#""code":"timed-out""#))
  }

  @Test func `A client that disconnects cancels the producer`() async throws {
    let server = try TestServer()
    var client: RawHTTPClient? = try server.client()
    client?.get("/paused")
    #expect(try client?.receivedBytes().isEmpty == false)
    client = nil
    let streams = server.routes.streams
    try await waitUntil { streams.canceled == 1 && streams.running == 0 }
    try await waitUntil { server.log.all.count == 1 }
    #expect(server.log.all[0].status == 499 && server.log.all[0].responseBytes >= 2)
  }

  @Test func `A client that closes its sending side receives everything`() async throws {
    let server = try TestServer { $0.timeouts.probeInterval = .milliseconds(20) }
    let client = try server.client()
    client.get("/paused")
    try await waitUntil { server.routes.streams.sentBytes == 2 }
    client.shutdownWrite()
    Thread.detachNewThread {
      usleep(200_000)
      server.routes.gate.open()
    }
    let response = try client.response(interim: true)
    #expect(response.status == 200)
    #expect(response.text.replacing(StreamRoutes.heartbeat, with: "") == "abcde")
  }

  @Test func `No interim response follows the head of a body without heartbeats`() async throws {
    let server = try TestServer { $0.timeouts.probeInterval = .milliseconds(20) }
    let client = try server.client()
    client.get("/paused-audio")
    try await waitUntil { server.routes.streams.sentBytes == 2 }
    client.shutdownWrite()
    Thread.detachNewThread {
      usleep(200_000)
      server.routes.gate.open()
    }
    let response = try client.response(interim: true)
    #expect(response.status == 200 && response.text == "abcde")
  }

  @Test(arguments: ["/prefill", "/prefill-audio"])
  func `A client that leaves before the first byte is found out`(path: String) async throws {
    let server = try TestServer { $0.timeouts.probeInterval = .milliseconds(20) }
    var client: RawHTTPClient? = try server.client()
    client?.get(path)
    try await waitUntil { server.routes.streams.running == 1 }
    client?.shutdownWrite()
    client = nil
    let streams = server.routes.streams
    try await waitUntil { streams.canceled == 1 && streams.running == 0 }
  }

  @Test(arguments: [1, 4])
  func `Streams that are left at random points leave nothing behind`(
    eventLoops: Int
  ) async throws {
    let server = try TestServer { $0.eventLoops = eventLoops }
    var generator = SeededGenerator(seed: 1)
    let paths = ["/s", "/paused", "/flood", "/numbers", "/late", "/prefill", "/large-part"]
    for _ in 0..<200 {
      let client = try server.client()
      let path = paths.randomElement(using: &generator) ?? "/s"
      client.get(path)
      usleep(.random(in: 0...2000, using: &generator))
      if path != "/prefill", Bool.random(using: &generator) { _ = try client.receivedBytes() }
    }
    try await waitUntil { server.routes.streams.running == 0 }
    try await waitUntil { server.server.load == ServerLoad() }
  }
}

/// Servers that stop while bodies are made.
@Suite(.hangGuard, .ownThreads) struct StreamShutdownTests {
  @Test func `A stopping server completes streams and rejects others`() async throws {
    let server = try TestServer { $0.timeouts.drainGrace = HangGuard.step }
    let client = try server.client()
    client.get("/paused")
    try await waitUntil { server.routes.streams.running == 1 }
    server.server.stop()
    try await waitUntil {
      guard let late = try? server.client() else { return false }
      late.get("/s")
      return (try? late.response().status) == 503
    }
    server.routes.gate.open()
    #expect(try client.response().text == "abcde")
    try client.waitForClose()
    client.shutdownWrite()
  }

  @Test(arguments: [true, false])
  func `Streams that are not done in time are ended or cut`(isText: Bool) async throws {
    let server = try TestServer { $0.timeouts.shutdown = .milliseconds(300) }
    let client = try server.client()
    client.get(isText ? "/paused" : "/paused-audio")
    try await waitUntil { server.routes.streams.sentBytes == 2 }
    server.server.stop()
    if isText {
      #expect(try client.response().text == "ab" + StreamRoutes.errorEvent)
    } else {
      #expect(try client.truncatedResponse().text == "ab")
    }
    client.shutdownWrite()
    try await waitUntil { server.isOver && server.routes.streams.running == 0 }
    #expect(server.log.all.map(\.error?.code) == ["shutting-down"])
  }

  @Test func `stopNow cancels producers`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/paused")
    try await waitUntil { server.routes.streams.sentBytes == 2 }
    server.server.stopNow()
    try await waitUntil { server.isOver && server.routes.streams.running == 0 }
  }
}
