import Synchronization
import TensorIOBundle
import Testing

@testable import TensorIOServer

@Suite struct CircuitBreakerTests {
  private static let crash = ModelError(.run, .workerCrashed(detail: "it was killed"))
  private let start = ContinuousClock.now

  private func time(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// Returns a breaker that three failures at second 0 have opened.
  private func open() throws -> CircuitBreaker {
    let breaker = CircuitBreaker()
    for _ in 0..<CircuitBreaker.maxFailures {
      breaker.record(Self.crash, of: try breaker.admit(at: start), at: start)
    }
    return breaker
  }

  @Test func `Three failures in a row suspend a model`() throws {
    let breaker = CircuitBreaker()
    for _ in 0..<2 { breaker.record(Self.crash, of: try breaker.admit(at: start), at: start) }
    breaker.record(nil, of: try breaker.admit(at: start), at: start)
    for _ in 0..<2 { breaker.record(Self.crash, of: try breaker.admit(at: start), at: start) }
    #expect(breaker.rejection(at: start) == nil)
    breaker.record(Self.crash, of: try breaker.admit(at: start), at: start)
    #expect(
      breaker.rejection(at: start) == ModelError(.run, .suspended(crashes: 3, seconds: 5)))
    #expect(throws: ModelError.self) { try breaker.admit(at: time(4.9)) }
  }

  @Test func `Failures that are hours apart suspend a model as well`() throws {
    let breaker = CircuitBreaker()
    for hour in 0..<3 {
      let now = time(Double(hour) * 3600)
      breaker.record(Self.crash, of: try breaker.admit(at: now), at: now)
    }
    #expect(breaker.isOpen(at: time(7200)))
  }

  @Test func `The begin and the end of a suspension are reported`() throws {
    let changes = Mutex<[Int?]>([])
    let breaker = CircuitBreaker { seconds in changes.withLock { $0.append(seconds) } }
    for _ in 0..<CircuitBreaker.maxFailures {
      breaker.record(Self.crash, of: try breaker.admit(at: start), at: start)
    }
    #expect(breaker.rejection(at: time(1)) != nil)
    breaker.record(Self.crash, of: try breaker.admit(at: time(5)), at: time(5))
    breaker.record(nil, of: try breaker.admit(at: time(20)), at: time(20))
    #expect(changes.withLock(\.self) == [5, 10, nil])
  }

  @Test func `An invalid input is not the model's failure`() throws {
    let breaker = CircuitBreaker()
    let error = ModelError(.input, .wrongCount(expected: 2, actual: 3))
    for _ in 0..<10 { breaker.record(error, of: try breaker.admit(at: start), at: start) }
    #expect(!breaker.isOpen(at: start))
  }

  @Test func `After the suspension, one probe runs and its success ends it`() throws {
    let breaker = try open()
    let probe = try breaker.admit(at: time(5))
    #expect(probe.isProbe)
    #expect(throws: ModelError.self) { try breaker.admit(at: time(6)) }
    breaker.record(nil, of: probe, at: time(7))
    #expect(breaker.rejection(at: time(7)) == nil)
    #expect(try !breaker.admit(at: time(7)).isProbe)
  }

  @Test func `Each failed probe doubles the suspension up to a maximum`() throws {
    let breaker = try open()
    var (now, waits) = (5.0, [Int]())
    for _ in 0..<6 {
      breaker.record(Self.crash, of: try breaker.admit(at: time(now)), at: time(now))
      guard let seconds = breaker.rejection(at: time(now))?.number("seconds") else {
        Issue.record("not suspended")
        return
      }
      waits.append(seconds)
      now += Double(seconds)
    }
    #expect(waits == [10, 20, 40, 60, 60, 60])
  }

  @Test func `A run that began before the suspension does not change it`() throws {
    let breaker = CircuitBreaker()
    let late = [try breaker.admit(at: start), try breaker.admit(at: start)]
    for _ in 0..<3 { breaker.record(Self.crash, of: try breaker.admit(at: start), at: start) }
    breaker.record(Self.crash, of: late[0], at: time(1))
    breaker.record(nil, of: late[1], at: time(1))
    #expect(
      breaker.rejection(at: time(1)) == ModelError(.run, .suspended(crashes: 3, seconds: 4)))
  }

  @Test func `A run that never ends counts as a failure`() throws {
    let breaker = CircuitBreaker(runLimit: .seconds(10))
    let runs = try (0..<3).map { _ in try breaker.admit(at: start) }
    #expect(!breaker.isOpen(at: time(10)))
    #expect(breaker.isOpen(at: time(11)))
    // It is not counted twice, and its success shows that the model works.
    breaker.record(nil, of: runs[0], at: time(12))
    #expect(!breaker.isOpen(at: time(12)))
  }
}
