import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOServer
@testable import TensorIOSystem

/// What a client sees of a server that has time.
@Suite(.timeLimit(.minutes(1))) struct AnsweringTests {
  @Test func `a connection is used again and again`() throws {
    let server = try TestServer()
    let client = try server.client()
    for number in 0..<50 {
      client.get("/here?top=\(number)")
      #expect(try client.response().text == "\(number)")
    }
    #expect(server.server.load.connections == 1)
  }

  @Test func `a hundred requests at once are answered in their order`() throws {
    let server = try TestServer()
    let client = try server.client()
    let paths = (0..<100).map { $0 % 3 == 0 ? "/v2/health/live" : "/here?top=\($0)" }
    client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
    for (number, path) in paths.enumerated() {
      #expect(try client.response().text == (path.hasPrefix("/v2") ? "alive" : "\(number)"))
    }
  }

  @Test func `a client that does not read is not read`() throws {
    let server = try TestServer()
    let client = try server.client()
    let request = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.send(String(repeating: request, count: 20))
    let body = try client.response().body
    #expect(body.count == 32 << 20)
    #expect(server.routes.calls(of: "/large") < 4)
  }

  @Test func `a client that has sent all it will is answered`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.get("/nap")
    client.shutdownWrite()
    #expect(try client.responses().map(\.text) == ["rested"])
  }

  @Test func `who declares too much is answered before sending it`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    let answer = try client.response()
    #expect(answer.status == 413 && answer.closes)
  }

  @Test func `the answer reaches a client that goes on sending`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    client.send([UInt8](repeating: 65, count: 4 << 20))
    let answers = try client.responses()
    #expect(answers.map(\.status) == [413])
  }

  @Test func `what is sent behind a refusal is not read for ever`() async throws {
    let server = try TestServer { $0.timeouts.linger = .seconds(100) }
    let client = try server.client()
    client.send("nonsense\r\n")
    let block = [UInt8](repeating: 65, count: 1 << 20)
    let sent = (0..<200).prefix { _ in client.send(block) }.count
    #expect((60..<100).contains(sent))
    try await waitUntil { server.server.load.connections == 0 }
  }

  @Test func `chunks without an end are counted as they come`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    let sender = Thread { while client.send("1\r\na\r\n") { usleep(100) } }
    sender.start()
    #expect(try client.response().status == 413)
    #expect(server.routes.calls(of: "/small") == 0)
  }

  @Test func `who asks whether to go on is told so once the head is good`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(
      "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.response(interim: true).status == 100)
    client.send("abc")
    #expect(try client.response(interim: true).text == "abc")
  }

  @Test func `every request is told of, by its name`() async throws {
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

  @Test func `without a token nobody else is listened to`() throws {
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
    let answer = try client.response()
    #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer")
    client.get("/here", headers: "Authorization: Bearer secret\r\n")
    #expect(try client.response().status == 200)
  }

  @Test func `a port that is taken is no crash`() throws {
    let server = try TestServer()
    let error = #expect(throws: ListenError.self) {
      try TestServer { $0.port = server.server.port }
    }
    guard case .bindFailed("127.0.0.1", server.server.port, _) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(error?.message.contains("port \(server.server.port) of 127.0.0.1: ") == true)
    #expect(throws: ListenError.unresolvedAddress("127.0.0.1", 65536)) { try TestServer { $0.port = 65536 } }
    #expect(throws: ListenError.unresolvedAddress("no such host", 0)) {
      try TestServer { $0.host = "no such host" }
    }
  }
}
