import Foundation
import Synchronization
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

/// Clients that come whether or not those before them have been answered.
///
/// `TENSORIO_OVERLOAD_SECONDS=60 swift test --filter OpenLoadTests` takes five minutes.
@Suite(.serialized) struct OpenLoadTests {
  static let seconds =
    Platform.environment("TENSORIO_OVERLOAD_SECONDS").flatMap { Double($0) } ?? 1.5
  /// On a machine that others use, a second and a half says nothing of a hundredth of the answers.
  static let isLong = Platform.environment("TENSORIO_OVERLOAD_SECONDS") != nil

  @Test(.timeLimit(.minutes(15)))
  func `what is too much is refused at once, and the rest is answered as before`() async throws {
    let server = try TestServer { ($0.workerThreads, $0.maxQueuedRequests) = (2, 4) }
    let peak = try await OpenLoad(server).peak(Self.seconds)
    try #require(peak > 0)
    let half = try await OpenLoad(server).run(peak / 2, Self.seconds)
    print("peak \(Int(peak)) a second; at half of it \(half)")
    for factor in [2.0, 10] {
      let figures = try await OpenLoad(server).run(peak * factor, Self.seconds)
      print("\(factor) times: \(figures)")
      #expect(figures.others == 0)
      #expect(!figures.refused.isEmpty && figures.refusalsSayWhen)
      #expect(figures.mostWaiting <= 4)
      #expect(figures.goodput >= peak * (Self.isLong ? 0.9 : 0.5))
      guard Self.isLong else { continue }
      #expect(figures.refused.slow < .milliseconds(10))
      #expect(figures.answered.slow <= half.answered.slow * 3)
      #expect(figures.health.slow < .milliseconds(50))
    }
  }
}

extension [Duration] {
  /// The time in which 99 of 100 are over.
  fileprivate var slow: Duration {
    isEmpty ? .zero : sorted()[Swift.min(count - 1, count * 99 / 100)]
  }
}

/// What came of requests at some rate.
private struct LoadFigures: Sendable, CustomStringConvertible {
  var answered: [Duration] = []
  var refused: [Duration] = []
  var refusalsSayWhen = true
  /// Answers that are neither.
  var others = 0
  var health: [Duration] = []
  var mostWaiting = 0
  var seconds = 0.0

  /// How many were answered in a second.
  var goodput: Double { Double(answered.count) / seconds }

  var description: String {
    "\(Int(goodput)) answered a second, p99 \(answered.slow); \(refused.count) refused, p99 "
      + "\(refused.slow); health p99 \(health.slow); at most \(mostWaiting) waiting"
  }

  mutating func note(_ answer: RawHTTPClient.Response?, _ time: Duration) {
    switch answer?.status {
    case 200: answered.append(time)
    case 503:
      refused.append(time)
      refusalsSayWhen = refusalsSayWhen && answer?["Retry-After"] != nil
    default: others += 1
    }
  }
}

/// Many clients, each of which takes the next request that is due.
private final class OpenLoad: Sendable {
  private static let clients = 64
  private let server: TestServer
  private let figures = Mutex(LoadFigures())
  private let due = DispatchSemaphore(value: 0)
  private let isOver = Mutex(false)

  init(_ server: TestServer) { self.server = server }

  /// How many requests a second are answered when twice as many clients as workers ask without a pause.
  func peak(_ seconds: Double) async throws -> Double {
    let clients = try (0..<4).map { _ in try server.client() }
    let counts = await withTaskGroup { group in
      for client in clients {
        group.addTask {
          await onNewThread {
            let end = ContinuousClock.now + .seconds(seconds)
            var count = 0
            while ContinuousClock.now < end, Self.ask("/work", client) != nil { count += 1 }
            return count
          }
        }
      }
      return await group.reduce(0, +)
    }
    return Double(counts) / seconds
  }

  /// Lets requests come at some rate for some time, at moments of their own.
  func run(_ rate: Double, _ seconds: Double) async throws -> LoadFigures {
    let clients = try (0..<Self.clients).map { _ in try server.client() }
    let watcher = try server.client()
    await withTaskGroup { group in
      for client in clients { group.addTask { await onNewThread { self.serve(client) } } }
      group.addTask { await onNewThread { self.watch(watcher) } }
      group.addTask { await onNewThread { self.release(rate, seconds) } }
      await group.waitForAll()
    }
    return figures.withLock { figures in
      figures.seconds = seconds
      return figures
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
      let answer = Self.ask("/work", client)
      let time = start.duration(to: .now)
      figures.withLock { $0.note(answer, time) }
    }
  }

  private func watch(_ client: RawHTTPClient) {
    while !isOver.withLock(\.self) {
      let start = ContinuousClock.now
      _ = Self.ask("/v2/health/live", client)
      let (time, waiting) = (start.duration(to: .now), server.server.load.queuedRequests)
      figures.withLock { figures in
        figures.health.append(time)
        figures.mostWaiting = max(figures.mostWaiting, waiting - 2)
      }
      usleep(20_000)
    }
  }

  private static func ask(_ path: String, _ client: RawHTTPClient) -> RawHTTPClient.Response? {
    client.get(path)
    return try? client.response()
  }
}
