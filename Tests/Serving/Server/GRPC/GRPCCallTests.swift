import Foundation
import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Calls over a connection.
@Suite(.hangGuard, .ownThreads) struct GRPCCallTests {
  private static let echo = GRPCTestServer.path("Echo")

  @Test func `A call returns its message, a status and an identifier`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let response = try client.call(Self.echo, [1, 2, 3], [("x-request-id", "a7")])
    #expect(response.messages == [[1, 2, 3]] && response.status == 0)
    #expect(response["content-type"] == "application/grpc" && response["x-request-id"] == "a7")
    #expect(try client.call(Self.echo).messages == [[]])
    let summary = try #require(server.log.all.first)
    #expect(summary.path == Self.echo && summary.routePattern == Self.echo)
    #expect(summary.status == 200 && summary.grpcStatus == 0 && summary.requestBytes == 3)
    #expect(summary.queueDuration != nil)
  }

  @Test(arguments: [("admin", 1), ("user", 0), ("adminadmin", 0)] as [(String, UInt8)])
  func `A call has the rights of its token`(token: String, isAdministrator: UInt8) throws {
    let server = try GRPCTestServer { $0.adminToken = "admin" }
    let response = try server.client().call(
      GRPCTestServer.path("Administrator"), [], [("authorization", "Bearer \(token)")])
    #expect(response.messages == [[isAdministrator]])
  }

  @Test func `Many concurrent calls of one connection are answered`() throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let streams = try (0..<100).map { number in
      try client.start(Self.echo, [UInt8](repeating: UInt8(number), count: number * 500))
    }
    for (number, stream) in streams.enumerated() {
      let expected = [UInt8](repeating: UInt8(number), count: number * 500)
      #expect(try client.response(of: stream).messages == [expected])
    }
    #expect(server.calls(of: "Echo") == 100)
  }

  @Test func `A call that takes too long as a whole is answered`() throws {
    let server = try GRPCTestServer {
      $0.workerThreads = 1
      $0.timeouts.request = .milliseconds(200)
      $0.timeouts.queue = .seconds(3600)
    }
    let client = try server.client()
    let streams = [
      try client.start(GRPCTestServer.path("Gate"), []), try client.start(Self.echo, []),
    ]
    for stream in streams {
      let response = try client.response(of: stream)
      #expect(response.status == GRPCStatus.deadlineExceeded.rawValue)
    }
  }

  @Test func `A handler that goes on after its time limit keeps its memory`() async throws {
    let budget = MemoryBudget(byteCount: 1 << 20)
    let server = try GRPCTestServer {
      $0.timeouts.request = .milliseconds(200)
      $0.memory = budget
    }
    let message = [UInt8](repeating: 1, count: 100_000)
    let response = try server.client().call(GRPCTestServer.path("Gate"), message)
    #expect(response.status == GRPCStatus.deadlineExceeded.rawValue)
    #expect(budget.usedBytes >= message.count)
    server.gate.open()
    try await waitUntil { budget.usedBytes == 0 }
  }

  @Test func `A large message passes both directions`() throws {
    let pattern = (0..<1009).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    var message: [UInt8] = []
    for _ in 0..<42_000 { message += pattern }
    // The server closes connections on which nothing is sent for a minute.
    let server = try GRPCTestServer()
    let client = try server.client()
    let stream = try client.begin(Self.echo)
    // The server's window is smaller than the message.
    stream.send(HTTP2TestClient.framed(message))
    stream.finish([])
    client.flush()
    #expect(try client.response(of: stream).messages == [message])
  }

  @Test(arguments: ["gzip", "deflate"]) func `A compressed message is decompressed`(
    name: String
  ) throws {
    let client = try GRPCTestServer().client()
    let message = [UInt8](repeating: 7, count: 100_000)
    let coding = try #require(ContentCoding(rawValue: name))
    let bytes = try #require(coding.compress(message))
    let stream = try client.begin(Self.echo, [("grpc-encoding", name)])
    client.send(
      [1] + GRPCMessage.prefix(length: bytes.count).dropFirst() + bytes, stream, ends: true)
    #expect(try client.response(of: stream).messages == [message])
    let invalid = try client.begin(Self.echo, [("grpc-encoding", name)])
    client.send([1, 0, 0, 0, 2, 9, 9], invalid, ends: true)
    #expect(try client.response(of: invalid).status == GRPCStatus.invalidArgument.rawValue)
  }

  @Test func `A message that decompresses to too many bytes is rejected`() throws {
    let client = try GRPCTestServer().client()
    let message = [UInt8](repeating: 0, count: StandardRoute.maxBodyBytes + 1)
    let bytes = try #require(ContentCoding.gzip.compress(message))
    let stream = try client.begin(Self.echo, [("grpc-encoding", "gzip")])
    client.send(
      [1] + GRPCMessage.prefix(length: bytes.count).dropFirst() + bytes, stream, ends: true)
    #expect(try client.response(of: stream).status == GRPCStatus.resourceExhausted.rawValue)
  }

  @Test(
    arguments: [
      ([], 3), ([0, 0, 0], 3), ([0, 0, 0, 0, 9, 1], 3), ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 3),
      ([2, 0, 0, 0, 0], 3), ([1, 0, 0, 0, 0], 3), ([0, 255, 255, 255, 255], 8),
    ] as [([UInt8], Int)])
  func `Malformed messages are rejected`(bytes: [UInt8], status: Int) throws {
    let server = try GRPCTestServer()
    let client = try server.client()
    let stream = try client.begin(Self.echo)
    client.send(bytes, stream, ends: true)
    #expect(try client.response(of: stream).status == status)
    #expect(server.calls(of: "Echo") == 0)
    #expect(try client.call(Self.echo, [4]).messages == [[4]])
  }

  @Test func `Requests that are not calls are rejected`() throws {
    let client = try GRPCTestServer().client()
    let unknown = try client.call("/test.Test/Nothing")
    #expect(unknown.status == GRPCStatus.unimplemented.rawValue)
    #expect(unknown["grpc-message"] == "unknown method '/test.Test/Nothing'")
    let page = try client.begin(Self.echo, contentType: "text/html")
    client.send([], page, ends: true)
    #expect(try client.response(of: page)[":status"] == "415")
    let get = try client.begin(Self.echo, method: "GET")
    client.send([], get, ends: true)
    #expect(try client.response(of: get)[":status"] == "405")
    let large = try client.call(Self.echo, [], [("x", String(repeating: "a", count: 20_000))])
    #expect(large.status == GRPCStatus.resourceExhausted.rawValue)
    #expect(try client.call(Self.echo, [], [("grpc-timeout", "1x")]).status == 3)
  }

  @Test func `An error has a status and an encoded message`() throws {
    let server = try GRPCTestServer()
    let response = try server.client().call(GRPCTestServer.path("Fail"))
    #expect(response.status == GRPCStatus.notFound.rawValue && response.messages.isEmpty)
    #expect(response["grpc-message"] == "100 %25 wrong: %C3%A4")
    #expect(server.log.all.first?.status == 404)
  }

  @Test func `A token is required except for methods that need none`() throws {
    let server = try GRPCTestServer { $0.token = "secret" }
    let client = try server.client()
    #expect(try client.call(Self.echo).status == GRPCStatus.unauthenticated.rawValue)
    #expect(try client.call(Self.echo, [], [("authorization", "Bearer wrong")]).status == 16)
    #expect(try client.call(Self.echo, [], [("authorization", "Bearer secret")]).status == 0)
    let watch = try client.start(GRPCTestServer.path("Watch"))
    #expect(try client.messages(1, of: watch) == [[1]])
  }

  @Test func `A message that exceeds the memory for requests is rejected`() throws {
    let client = try GRPCTestServer { configuration in
      configuration.memory = MemoryBudget(byteCount: 1 << 20)
      configuration.timeouts.body = HangGuard.step
      configuration.timeouts.progress = HangGuard.step
    }.client()
    let large = try client.begin(Self.echo)
    client.send(GRPCMessage.prefix(length: 600_000), large)
    #expect(try client.response(of: large).status == GRPCStatus.resourceExhausted.rawValue)
    let waiting = try client.begin(Self.echo)
    client.send(GRPCMessage.prefix(length: 200_001), waiting)
    // A message that is announced holds nothing, and what has been received does.
    let part = [UInt8](repeating: 5, count: 200_000)
    #expect(try client.call(Self.echo, part).status == 0)
    client.send(part, waiting)
    let second = try client.begin(Self.echo)
    client.send(GRPCMessage.prefix(length: 200_001) + part, second)
    let third = try client.begin(Self.echo)
    client.send(GRPCMessage.prefix(length: 200_001) + part, third)
    #expect(try client.response(of: third).status == GRPCStatus.resourceExhausted.rawValue)
    client.send([5], waiting, ends: true)
    #expect(try client.response(of: waiting).status == 0)
    client.send([5], second, ends: true)
    #expect(try client.response(of: second).status == 0)
    // The memory of a response is free a moment after the client has received it.
    let next = [UInt8](repeating: 1, count: 500_000)
    while try client.call(Self.echo, next).status != 0 { usleep(10_000) }
  }
}

/// Calls with any number of messages.
@Suite(.hangGuard, .ownThreads) struct GRPCExchangeTests {
  private static let chat = GRPCTestServer.path("Chat")

  @Test func `Responses are in the order of the requests, and errors do not end the call`() throws {
    let client = try GRPCTestServer().client()
    let stream = try client.begin(Self.chat)
    for number in 1...40 {
      client.send(HTTP2TestClient.framed([number == 20 ? 0 : UInt8(number)]), stream)
    }
    client.send([], stream, ends: true)
    let response = try client.response(of: stream)
    #expect(response.status == 0 && response.messages.count == 40)
    for (index, message) in response.messages.enumerated() {
      #expect(message == (index == 19 ? Array("error: a zero".utf8) : [UInt8(index + 1)]))
    }
  }

  @Test func `A message of any size can wait for others`() throws {
    let client = try GRPCTestServer().client()
    let stream = try client.begin(Self.chat)
    let message = [UInt8](repeating: 3, count: 9 << 20)
    for _ in 0..<3 { stream.send(HTTP2TestClient.framed(message)) }
    stream.finish([])
    client.flush()
    #expect(try client.response(of: stream).messages == [message, message, message])
  }

  @Test func `A call that ends inside of a message fails`() throws {
    let client = try GRPCTestServer().client()
    let stream = try client.begin(Self.chat)
    client.send(HTTP2TestClient.framed([1]) + [0, 0, 0], stream, ends: true)
    let response = try client.response(of: stream)
    #expect(response.messages == [[1]] && response.status == GRPCStatus.invalidArgument.rawValue)
  }

  @Test func `A watched result is sent when it changes`() async throws {
    let server = try GRPCTestServer { $0.timeouts.drainGrace = .milliseconds(50) }
    let client = try server.client()
    let stream = try client.start(GRPCTestServer.path("Watch"))
    #expect(try client.messages(1, of: stream) == [[1]])
    server.server.stop()
    let response = try client.response(of: stream)
    #expect(response.messages == [[1], [2]] && response.status == 14)
    try client.waitForClose()
    client.socket.shutdownWrite()
    try await waitUntil { server.isOver }
  }
}
