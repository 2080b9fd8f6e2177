import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer
@testable import TensorIOSystem

/// The behavior of a server that is not under load.
@Suite(.hangGuard, .ownThreads) struct HTTPServerTests {
  @Test func `A connection is reused`() throws {
    let server = try TestServer()
    let client = try server.client()
    for number in 0..<50 {
      client.get("/here?top=\(number)")
      #expect(try client.response().text == "\(number)")
    }
    #expect(server.server.load.connections == 1)
  }

  @Test func `A hundred pipelined requests are answered in order`() throws {
    let server = try TestServer()
    let client = try server.client()
    let paths = (0..<100).map { $0 % 3 == 0 ? "/v2/health/live" : "/here?top=\($0)" }
    client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
    for (number, path) in paths.enumerated() {
      #expect(try client.response().text == (path.hasPrefix("/v2") ? "alive" : "\(number)"))
    }
  }

  @Test func `Large bodies are received whole, and end before the next request`() throws {
    let server = try TestServer()
    let client = try server.client()
    func post(_ body: [UInt8]) -> [UInt8] {
      Array("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        + body
    }
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    client.send(post(bytes))
    #expect(try client.response().body == bytes)
    let (first, second) = (Array(bytes[..<40_000]), Array(bytes[50_000..<150_000]))
    client.send(post(first) + post(second) + Array("GET /here".utf8))
    #expect(try client.response().body == first)
    client.send(" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.response().body == second)
    #expect(try client.response().text == "here")
  }

  @Test func `Bytes that arrive during a request are read after it`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/gate")
    try await waitUntil { server.routes.calls(of: "/gate") == 1 }
    client.send("GET /here HTTP/1.1\r\n")
    client.send("Host: localhost\r\n\r\nGET /nap HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client.shutdownWrite()
    server.routes.gate.open()
    #expect(try client.responses().map(\.text) == ["through", "here", "rested"])
  }

  @Test func `A client that does not read its responses is not read`() throws {
    let server = try TestServer()
    let client = try server.client()
    let request = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.send(String(repeating: request, count: 20))
    let body = try client.response().body
    #expect(body.count == 32 << 20)
    #expect(server.routes.calls(of: "/large") < 4)
  }

  @Test func `A client that has closed its sending side receives its response`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/nap")
    client.shutdownWrite()
    #expect(try client.responses().map(\.text) == ["rested"])
  }

  @Test func `A body with too large a declared length is rejected before it is sent`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    let response = try client.response()
    #expect(response.status == 413 && response.closes)
  }

  @Test func `The response reaches a client that is still sending`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    client.send([UInt8](repeating: 65, count: 4 << 20))
    #expect(try client.responses().map(\.status) == [413])
  }

  @Test func `The number of bytes discarded after a rejection is limited`() async throws {
    let server = try TestServer { $0.timeouts.linger = .seconds(100) }
    let client = try server.client()
    client.send("nonsense\r\n")
    let block = [UInt8](repeating: 65, count: 1 << 20)
    let sent = (0..<200).prefix { _ in client.send(block) }.count
    #expect((60..<100).contains(sent))
    try await waitUntil { server.server.load.connections == 0 }
  }

  @Test func `A chunked body without an end is limited as it arrives`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    let sender = Thread { while client.send("1\r\na\r\n") { usleep(100) } }
    sender.start()
    #expect(try client.response().status == 413)
    #expect(server.routes.calls(of: "/small") == 0)
  }

  @Test func `Expect 100-continue is answered once the head is accepted`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(
      "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.response(interim: true).status == 100)
    client.send("abc")
    #expect(try client.response(interim: true).text == "abc")
  }

  @Test func `Every request is reported with its identifier`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/here?top=3", headers: "X-Request-Id: mine\r\n")
    #expect(try client.response()["X-Request-Id"] == "mine")
    client.send("nonsense\r\n")
    #expect(try client.response().status == 400)
    try await waitUntil { server.log.all.count == 2 }
    let first = try #require(server.log.all.first)
    #expect(first.id == "mine" && first.method == "GET" && first.path == "/here")
    #expect(first.routePattern == "/here" && first.status == 200 && first.responseBytes == 1)
    let second = try #require(server.log.all.last)
    #expect(second.status == 400 && second.method.isEmpty && second.routePattern.isEmpty)
  }

  @Test func `A server without a token listens on loopback addresses only`() throws {
    #expect(throws: ListenError.nonLoopbackAddress("0.0.0.0")) {
      try TestServer { $0.host = "0.0.0.0" }
    }
    #expect(throws: ListenError.nonLoopbackAddress("::")) {
      try TestServer {
        $0.host = "::"
        $0.token = ""
      }
    }
    let server = try TestServer {
      $0.host = "0.0.0.0"
      $0.token = "secret"
    }
    let client = try server.client()
    client.get("/here")
    let response = try client.response()
    #expect(response.status == 401 && response["WWW-Authenticate"] == "Bearer")
    client.get("/here", headers: "Authorization: Bearer secret\r\n")
    #expect(try client.response().status == 200)
  }

  @Test func `An unavailable address is an error`() throws {
    let server = try TestServer()
    let error = #expect(throws: ListenError.self) {
      try TestServer { $0.port = server.server.port }
    }
    guard case .bindFailed("127.0.0.1", server.server.port, _) = error else {
      Issue.record("unexpected error: \(String(describing: error))")
      return
    }
    #expect(
      error?.message.hasPrefix("cannot listen on port \(server.server.port) of 127.0.0.1: ")
        == true)
    #expect(throws: ListenError.unresolvedAddress("127.0.0.1", 65536)) {
      try TestServer { $0.port = 65536 }
    }
    #expect(throws: ListenError.unresolvedAddress("no such host", 0)) {
      try TestServer { $0.host = "no such host" }
    }
  }
}
