import Foundation
import Synchronization
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

private let seconds =
  Platform.environment("TENSORIO_OVERLOAD_SECONDS").flatMap { Double($0) } ?? 0

/// An open-loop load: requests arrive at a rate that does not depend on responses.
///
/// Rates and latencies are meaningful only in a long run on an idle machine;
/// `Scripts/check/deep load` measures them. `OverloadTests` has the same properties by counts.
@Suite(.enabled(if: seconds > 0), .serialized, .ownThreads) struct OpenLoadTests {
  @Test(.hangGuard(isLong: true))
  func `Excess load is rejected at once and the rest is handled as before`() async throws {
    let server = try TestServer { ($0.workerThreads, $0.maxQueuedRequests) = (2, 4) }
    let peak = try await OpenLoad(server).peak(seconds)
    try #require(peak > 0)
    let half = try await OpenLoad(server).run(peak / 2, seconds)
    print("peak \(Int(peak)) per second; at half of it \(half)")
    for factor in [2.0, 10] {
      let statistics = try await OpenLoad(server).run(peak * factor, seconds)
      print("\(factor) times: \(statistics)")
      #expect(statistics.others == 0)
      #expect(!statistics.rejected.isEmpty && statistics.haveRetryAfter)
      #expect(statistics.maxQueued <= 4)
      #expect(statistics.throughput >= peak * 0.9)
      #expect(statistics.rejected.p99 < .milliseconds(10))
      #expect(statistics.completed.p99 <= half.completed.p99 * 3)
      #expect(statistics.health.p99 < .milliseconds(50))
    }
  }
}

extension [Duration] {
  /// The 99th percentile.
  fileprivate var p99: Duration {
    isEmpty ? .zero : sorted()[Swift.min(count - 1, count * 99 / 100)]
  }
}

/// The outcome of requests at a given rate.
private struct LoadStatistics: Sendable, CustomStringConvertible {
  var completed: [Duration] = []
  var rejected: [Duration] = []
  /// Whether every rejection has a `Retry-After`.
  var haveRetryAfter = true
  /// The number of responses that are neither.
  var others = 0
  var health: [Duration] = []
  var maxQueued = 0
  var seconds = 0.0

  /// The number of completed requests per second.
  var throughput: Double { Double(completed.count) / seconds }

  var description: String {
    "\(Int(throughput)) completed per second, p99 \(completed.p99); \(rejected.count) rejected, "
      + "p99 \(rejected.p99); health p99 \(health.p99); at most \(maxQueued) queued"
  }

  mutating func record(_ response: RawHTTPClient.Response?, _ time: Duration) {
    switch response?.status {
    case 200: completed.append(time)
    case 503:
      rejected.append(time)
      haveRetryAfter = haveRetryAfter && response?["Retry-After"] != nil
    default: others += 1
    }
  }
}

/// Many clients, each of which sends the next request that is due.
private final class OpenLoad: Sendable {
  private static let clients = 64
  private let server: TestServer
  private let statistics = Mutex(LoadStatistics())
  private let due = DispatchSemaphore(value: 0)
  private let isOver = Mutex(false)

  init(_ server: TestServer) { self.server = server }

  /// Returns the number of completed requests per second for twice as many clients as threads.
  func peak(_ seconds: Double) async throws -> Double {
    let clients = try (0..<4).map { _ in try server.client() }
    let counts = await withTaskGroup { group in
      for client in clients {
        group.addTask {
          await onNewThread {
            let end = ContinuousClock.now + .seconds(seconds)
            var count = 0
            while ContinuousClock.now < end, Self.get("/work", client) != nil { count += 1 }
            return count
          }
        }
      }
      return await group.reduce(0, +)
    }
    return Double(counts) / seconds
  }

  /// Sends requests at a given rate, with exponentially distributed intervals.
  func run(_ rate: Double, _ seconds: Double) async throws -> LoadStatistics {
    let clients = try (0..<Self.clients).map { _ in try server.client() }
    let watcher = try server.client()
    await withTaskGroup { group in
      for client in clients { group.addTask { await onNewThread { self.serve(client) } } }
      group.addTask { await onNewThread { self.watch(watcher) } }
      group.addTask { await onNewThread { self.release(rate, seconds) } }
      await group.waitForAll()
    }
    return statistics.withLock { statistics in
      statistics.seconds = seconds
      return statistics
    }
  }

  private func release(_ rate: Double, _ seconds: Double) {
    var random = SeededGenerator(seed: 7)
    var next = ContinuousClock.now
    let end = next + .seconds(seconds)
    while next < end {
      next += .seconds(-log(Double.random(in: 0.000_001..<1, using: &random)) / rate)
      let pause = ContinuousClock.now.duration(to: next) / .microseconds(1)
      if pause > 50 { usleep(UInt32(pause)) }
      due.signal()
    }
    isOver.withLock { $0 = true }
    for _ in 0..<Self.clients { due.signal() }
  }

  private func serve(_ client: RawHTTPClient) {
    while true {
      due.wait()
      if isOver.withLock(\.self) { return }
      let start = ContinuousClock.now
      let response = Self.get("/work", client)
      let time = start.duration(to: .now)
      statistics.withLock { $0.record(response, time) }
    }
  }

  private func watch(_ client: RawHTTPClient) {
    while !isOver.withLock(\.self) {
      let start = ContinuousClock.now
      _ = Self.get("/v2/health/live", client)
      let (time, queued) = (start.duration(to: .now), server.server.load.queuedRequests)
      statistics.withLock { statistics in
        statistics.health.append(time)
        statistics.maxQueued = max(statistics.maxQueued, queued - 2)
      }
      usleep(20_000)
    }
  }

  private static func get(_ path: String, _ client: RawHTTPClient) -> RawHTTPClient.Response? {
    client.get(path)
    return try? client.response()
  }
}
