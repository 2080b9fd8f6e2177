import Dispatch
import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct RequestTaskTests {
  /// What handlers do.
  private static let requestCount = 20_000
  private static let laneCount = 7

  private final class Results: Sendable {
    let completed = Mutex<[UInt64: Int]>([:])
    let ended = Mutex<[UInt64: Int]>([:])

    func count(_ id: UInt64, in counts: borrowing Mutex<[UInt64: Int]>) {
      counts.withLock { $0[id, default: 0] += 1 }
    }
  }

  /// Waits for another thread, as a handler does for memory.
  private static func waitForOtherThread(_ timers: DispatchQueue) async {
    await withCheckedContinuation { continuation in timers.async { continuation.resume() } }
  }

  /// A handler that waits, lets others run and moves to the background, in an order that its number determines.
  private static func route(_ results: Results, _ timers: DispatchQueue) -> Route {
    Route(
      .post, "/:name",
      async: { request in
        let id = UInt64(request.headers["X-Number"] ?? "") ?? 0
        var random = SeededGenerator(seed: id)
        defer { results.count(id, in: results.ended) }
        do throws(ClientError) {
          for _ in 0..<Int.random(in: 0..<5, using: &random) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: await waitForOtherThread(timers)
            case 1: try await request.context.moveToBackground()
            default: try await request.context.yield()
            }
          }
        } catch {
          return error.response
        }
        return HTTPResponse(type: "text/plain", body: [])
      })
  }

  @Test func `A body that is not sent leaves nothing behind`() async throws {
    let done = DispatchSemaphore(value: 0)
    let queue = RequestQueue(.init(workerThreads: 1, maxQueued: 1)) { _ in done.signal() }
    #expect(queue.start())
    defer { queue.close() }
    let route = Route(
      .post, "/",
      async: { _ in HTTPResponse(type: "text/plain", stream: ResponseBody.Stream { _ in }) })
    let budget = MemoryBudget(byteCount: 1000)
    func send() throws {
      let target = try #require(RequestTarget("/"))
      var request = HTTPRequest(.post, target)
      request.context = RequestContext(
        memory: MemoryReservation(budget, byteCount: 10, isBackground: false))
      budget.take(10, isBackground: false)
      #expect(
        queue.enqueue(
          QueuedRequest(connectionID: 1, request: request, route: route, enqueuedAt: .now)))
    }
    try send()
    done.wait()
    // The context, which refers to its task, has released the memory of the request.
    try await waitUntil { budget.usedBytes == 0 }
  }

  @Test func `Each handler ends once, however it waits and when its client leaves`() async throws {
    let results = Results()
    let timers = DispatchQueue(label: "other-thread", attributes: .concurrent)
    let route = Self.route(results, timers)
    let queue = RequestQueue(.init(workerThreads: 3, maxQueued: Self.requestCount)) {
      results.count($0.connectionID, in: results.completed)
    }
    #expect(queue.start())
    var random = SeededGenerator(seed: 3)
    var accepted = 0
    var removed = 0
    for id in 1...UInt64(Self.requestCount) {
      let lane = Int.random(in: 0..<Self.laneCount, using: &random)
      let target = try #require(RequestTarget("/\(lane)"))
      var request = HTTPRequest(.post, target, headers: ["X-Number": "\(id)"])
      request.context = RequestContext()
      let work = QueuedRequest(connectionID: id, request: request, route: route, enqueuedAt: .now)
      if queue.enqueue(work) { accepted += 1 }
      if Int.random(in: 0..<10, using: &random) == 0 {
        if queue.cancel(request.context) { removed += 1 }
        request.context.cancel()
        queue.discard(request.context)
      }
    }
    #expect(accepted == Self.requestCount)
    try await waitUntil { queue.load == (0, 0) }
    queue.close()
    let (ended, completed) = (results.ended.withLock(\.self), results.completed.withLock(\.self))
    #expect(ended.values.allSatisfy { $0 == 1 } && completed.values.allSatisfy { $0 == 1 })
    // A canceled request has no response, and one that was removed no handler.
    #expect(ended.count <= accepted - removed && completed.count <= ended.count)
    #expect(completed.count >= Self.requestCount * 8 / 10)
  }
}
