import Testing

@testable import TensorIOServer

@Suite struct WaitingJobsTests {
  /// Returns a job whose connection has a number, to be recognized by.
  private static func job(_ number: UInt64, isStarted: Bool = false) async throws
    -> RequestQueue.Job
  {
    let target = try #require(RequestTarget("/"))
    let work = QueuedRequest(
      connectionID: number, request: HTTPRequest(.post, target),
      route: Route(.post, "/") { _ in HTTPResponse(type: "text/plain", body: []) },
      enqueuedAt: .now)
    let queue = RequestQueue(.init(workerThreads: 1, maxQueued: 1)) { _ in }
    let task = RequestTask(work, "m", .foreground, queue)
    guard isStarted else { return RequestQueue.Job(task) }
    var job: RequestQueue.Job?
    await withCheckedContinuation { continuation in
      job = RequestQueue.Job(task, .turn(continuation))
      continuation.resume()
    }
    return try #require(job)
  }

  /// Jobs 0 to 5, of which 1 and 4 have started.
  private static func jobs() async throws -> RequestQueue.WaitingJobs {
    var jobs = RequestQueue.WaitingJobs()
    for number in 0..<6 as Range<UInt64> {
      jobs.append(try await job(number, isStarted: number % 3 == 1))
    }
    return jobs
  }

  private static func numbers(_ jobs: [RequestQueue.Job]) -> [UInt64] {
    jobs.compactMap(\.task.work?.connectionID)
  }

  /// Removes all jobs, and checks the count of those that have not started after each.
  private static func drain(_ jobs: RequestQueue.WaitingJobs) -> [UInt64] {
    var (jobs, drained) = (jobs, [RequestQueue.Job]())
    var unstarted = jobs.unstartedCount
    while let job = jobs.popFirst() {
      drained.append(job)
      if job.isUnstarted { unstarted -= 1 }
      #expect(jobs.unstartedCount == unstarted)
    }
    #expect(jobs.isEmpty && jobs.unstartedCount == 0)
    return numbers(drained)
  }

  @Test func `Jobs are removed in the order in which they were added`() async throws {
    let jobs = try await Self.jobs()
    #expect(jobs.count == 6 && jobs.unstartedCount == 4)
    #expect(Self.drain(jobs) == [0, 1, 2, 3, 4, 5])
    var empty = RequestQueue.WaitingJobs()
    let none = empty.popFirst()
    #expect(none == nil && empty.isEmpty)
  }

  @Test(
    arguments: [
      (0, [], [0, 1, 2, 3, 4, 5]), (1, [0], [1, 2, 3, 4, 5]), (3, [0, 2, 3], [1, 4, 5]),
      (9, [0, 2, 3, 5], [1, 4]),
    ] as [(Int, [UInt64], [UInt64])])
  func `Only jobs that have not started are taken`(
    count: Int, taken: [UInt64], left: [UInt64]
  ) async throws {
    var jobs = try await Self.jobs()
    #expect(Self.numbers(jobs.takeUnstarted(count)) == taken)
    #expect(jobs.count == left.count && Self.drain(jobs) == left)
  }

  @Test(arguments: [0, 1, 4, 5] as [UInt64])
  func `The first job that satisfies a condition is removed`(number: UInt64) async throws {
    var jobs = try await Self.jobs()
    #expect(jobs.removeFirst { $0.task.work?.connectionID == number } != nil)
    #expect(Self.drain(jobs) == [0, 1, 2, 3, 4, 5].filter { $0 != number })
    #expect(jobs.removeFirst { $0.task.work?.connectionID == number } == nil)
  }
}
