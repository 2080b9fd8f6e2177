import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// What a client sees of a server that has time.
@Suite(.timeLimit(.minutes(1))) struct AnsweringTests {
  @Test func `a connection is used again and again`() throws {
    let server = try TestServer()
    let client = try server.client()
    for number in 0..<50 {
      client.ask("/here?top=\(number)")
      #expect(try client.answer().text == "\(number)")
    }
    #expect(server.server.load.connections == 1)
  }

  @Test func `a hundred requests at once are answered in their order`() throws {
    let server = try TestServer()
    let client = try server.client()
    let paths = (0..<100).map { $0 % 3 == 0 ? "/v2/health/live" : "/here?top=\($0)" }
    client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
    for (number, path) in paths.enumerated() {
      #expect(try client.answer().text == (path.hasPrefix("/v2") ? "alive" : "\(number)"))
    }
  }

  @Test func `a client that does not read is not read`() throws {
    let server = try TestServer()
    let client = try server.client()
    let request = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
    client.send(String(repeating: request, count: 20))
    let body = try client.answer().body
    #expect(body.count == 32 << 20)
    #expect(server.routes.calls(of: "/large") < 4)
  }

  @Test func `a client that has sent all it will is answered`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.ask("/nap")
    client.endWriting()
    #expect(try client.answers().map(\.text) == ["rested"])
  }

  @Test func `who declares too much is answered before sending it`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.status == 413 && answer.closes)
  }

  @Test func `the answer reaches a client that goes on sending`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
    client.send([UInt8](repeating: 65, count: 4 << 20))
    let answers = try client.answers()
    #expect(answers.map(\.status) == [413])
  }

  @Test func `chunks without an end are counted as they come`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send("POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    let sender = Thread { while client.send("1\r\na\r\n") { usleep(100) } }
    sender.start()
    #expect(try client.answer().status == 413)
    #expect(server.routes.calls(of: "/small") == 0)
  }

  @Test func `who asks whether to go on is told so once the head is good`() throws {
    let server = try TestServer()
    let client = try server.client()
    client.send(
      "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    #expect(try client.answer(interim: true).status == 100)
    client.send("abc")
    #expect(try client.answer(interim: true).text == "abc")
  }

  @Test func `every request is told of, by its name`() async throws {
    let server = try TestServer()
    let client = try server.client()
    client.ask("/here?top=3", fields: "X-Request-Id: mine\r\n")
    #expect(try client.answer()["X-Request-Id"] == "mine")
    client.send("nonsense\r\n")
    #expect(try client.answer().status == 400)
    try await until { server.log.all.count == 2 }
    let first = try #require(server.log.all.first)
    #expect(first.id == "mine" && first.method == "GET" && first.path == "/here")
    #expect(first.route == "/here" && first.status == 200 && first.answerBytes == 1)
    let second = try #require(server.log.all.last)
    #expect(second.status == 400 && second.method.isEmpty && second.route.isEmpty)
  }

  @Test func `without a token nobody else is listened to`() throws {
    #expect(throws: ServerError.openToAll("0.0.0.0")) {
      try TestServer { $0.host = "0.0.0.0" }
    }
    #expect(throws: ServerError.openToAll("::")) {
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
    client.ask("/here")
    let answer = try client.answer()
    #expect(answer.status == 401 && answer["WWW-Authenticate"] == "Bearer")
    client.ask("/here", fields: "Authorization: Bearer secret\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func `a port that is taken is no crash`() throws {
    let server = try TestServer()
    let error = #expect(throws: ServerError.self) {
      try TestServer { $0.port = server.server.port }
    }
    guard case .occupied("127.0.0.1", server.server.port, _) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(error?.problem.contains("port \(server.server.port) of 127.0.0.1: ") == true)
    #expect(throws: ServerError.address("127.0.0.1", 65536)) { try TestServer { $0.port = 65536 } }
    #expect(throws: ServerError.address("no such host", 0)) {
      try TestServer { $0.host = "no such host" }
    }
  }
}
