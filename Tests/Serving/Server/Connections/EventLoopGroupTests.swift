import Testing

@testable import TensorIOServer

@Suite struct EventLoopGroupTests {
  @Test(arguments: [1, 2, 4], [9, 33])
  func `Loops have equally many connections`(loops: Int, connections: Int) throws {
    let status = ServerStatus()
    let group = try EventLoopGroup(count: loops, status)
    let assigned = (0..<connections).map { _ in group.reserve() }
    let counts = (0..<loops).map { loop in assigned.count { $0 == loop } }
    #expect(try #require(counts.max()) - #require(counts.min()) <= 1)
    #expect(group.connectionCount == connections && status.load.connections == connections)
  }

  @Test func `A loop whose clients have left receives the next connections`() throws {
    let group = try EventLoopGroup(count: 2, ServerStatus())
    for _ in 0..<6 { _ = group.reserve() }
    for _ in 0..<2 { group.release(1) }
    #expect((0..<2).map { _ in group.reserve() } == [1, 1])
  }

  @Test func `Identifiers name the loop of a connection`() throws {
    let group = try EventLoopGroup(count: 3, ServerStatus())
    let target = try #require(RequestTarget("/"))
    let request = QueuedRequest(
      connectionID: EventLoopGroup.firstID(of: 2) + 7, request: HTTPRequest(.get, target),
      route: Route(.get, "/") { _ in HTTPResponse(type: "", body: []) }, enqueuedAt: .now)
    let queue = RequestQueue(.init(workerThreads: 1, maxQueued: 1)) { _ in }
    let task = RequestTask(request, "", .foreground, queue)
    group.send(
      CompletedResponse(
        connectionID: request.connectionID, task: task, response: HTTPResponse(type: "", body: [])))
    #expect(group.completions.map(\.isEmpty) == [true, true, false])
  }

  @Test func `Calls that watch are bounded for all loops`() throws {
    let group = try EventLoopGroup(count: 2, ServerStatus())
    #expect((0..<1001).count { _ in group.beginWatch() } == 1000)
    group.endWatch()
    #expect(group.beginWatch())
  }
}
