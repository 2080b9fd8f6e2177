import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The time limits of HTTP/2 connections and their calls.
@Suite(.hangGuard, .ownThreads) struct HTTP2TimeoutTests {
  private static let brief = Duration.milliseconds(300)

  private func server(_ paths: [WritableKeyPath<HTTPTimeouts, Duration>]) throws -> GRPCTestServer {
    try GRPCTestServer {
      for path in paths { $0.timeouts[keyPath: path] = Self.brief }
    }
  }

  @Test func `Header fields that are not completed end the connection`() throws {
    let server = try server([\.head, \.linger])
    let client = try RawHTTPClient(port: server.server.port)
    client.send(RawFrames.start + RawFrames.headers("/test.Test/Echo", flags: 0))
    try client.waitForClose()
    #expect(server.log.all.isEmpty)
  }

  @Test func `Further parts do not extend the time for header fields`() throws {
    let server = try server([\.head, \.linger])
    let client = try RawHTTPClient(port: server.server.port)
    client.send(RawFrames.start + RawFrames.headers("/test.Test/Echo", flags: 0))
    let sender = Thread { while client.send(RawFrames.continuation) { usleep(100_000) } }
    sender.start()
    // Sixteen parts are accepted, which take longer than the time limit.
    let received = try client.waitForClose()
    #expect(received > 0)
  }

  @Test func `A connection whose first frame is missing is closed`() throws {
    let server = try server([\.head, \.linger])
    let client = try RawHTTPClient(port: server.server.port)
    client.send(HTTP2Preface.bytes)
    try client.waitForClose()
  }

  @Test func `A frame that is not completed does not keep an idle connection`() throws {
    let server = try server([\.idle, \.linger])
    let client = try RawHTTPClient(port: server.server.port)
    client.send(RawFrames.start + RawFrames.headers("/test.Test/Echo").prefix(12))
    try client.waitForClose()
  }

  @Test func `Calls and their header fields in parts are not affected`() throws {
    let server = try server([\.head])
    let client = try server.client()
    let chat = try client.begin(GRPCTestServer.path("Chat"))
    for number in UInt8(1)...10 {
      client.send(HTTP2TestClient.framed([number]), chat)
      client.flush()
      let bytes = try #require(
        client.session.request([
          (":method", "POST"), (":scheme", "http"),
          (":path", GRPCTestServer.path("Echo")), (":authority", "localhost"),
          ("content-type", "application/grpc"), ("te", "trailers"),
        ]))
      client.send(HTTP2TestClient.framed([number]), bytes, ends: true)
      while let part = client.session.bytesToSend(), !part.isEmpty {
        client.socket.send(Array(part.prefix(part.count / 2)))
        usleep(50_000)
        client.socket.send(Array(part.suffix(part.count - part.count / 2)))
      }
      #expect(try client.response(of: bytes).messages == [[number]])
    }
  }

  @Test func `A message that is not completed after another one ends its call`() throws {
    let server = try server([\.body])
    let client = try server.client()
    let chat = try client.begin(GRPCTestServer.path("Chat"))
    client.send(HTTP2TestClient.framed([1]) + [0, 0, 0, 0, 9, 1], chat)
    client.flush()
    let response = try client.response(of: chat)
    #expect(response.messages == [[1]])
    #expect(response.status == GRPCStatus.deadlineExceeded.rawValue)
  }

  @Test(arguments: ["Chat", "Watch"])
  func `A call that is open for too long ends`(_ method: String) throws {
    let server = try server([\.openCall])
    let client = try server.client()
    let stream = try client.begin(GRPCTestServer.path(method))
    client.send(HTTP2TestClient.framed([1]), stream, ends: method == "Watch")
    client.flush()
    let response = try client.response(of: stream)
    #expect(response.messages == [[1]])
    #expect(response.status == GRPCStatus.unavailable.rawValue)
  }

  @Test func `A client that does not receive the responses of a call loses it`() async throws {
    let server = try server([\.write])
    let client = try RawHTTPClient(port: server.server.port)
    // The client lets the server send nothing.
    let settings = RawFrames.frame(type: 4, [0, 4, 0, 0, 0, 0])
    client.send(
      HTTP2Preface.bytes + settings + RawFrames.headers(GRPCTestServer.path("Chat"))
        + RawFrames.frame(type: 0, stream: 1, HTTP2TestClient.framed([1])))
    try await waitUntil { server.log.all.count == 1 }
    #expect(server.log.all[0].path == GRPCTestServer.path("Chat"))
  }
}
