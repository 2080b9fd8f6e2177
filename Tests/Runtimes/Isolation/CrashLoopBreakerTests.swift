import Testing

@testable import TensorIOIsolation

@Suite struct CrashLoopBreakerTests {
  private let breaker = CrashLoopBreaker(maxCrashes: 2, window: .seconds(60))
  private let model = CrashLoopBreaker.ModelKey(path: "a", stamp: nil)
  private let start = ContinuousClock.now

  private func isSuspended(
    _ model: CrashLoopBreaker.ModelKey, after time: Duration
  ) -> Bool {
    (try? breaker.throwIfSuspended(model, at: start + time)) == nil
  }

  @Test func `A model is suspended until the window has passed`() {
    breaker.recordCrash(of: model, at: start)
    #expect(!isSuspended(model, after: .zero))
    breaker.recordCrash(of: model, at: start + .seconds(10))
    #expect(isSuspended(model, after: .seconds(10)))
    #expect(isSuspended(model, after: .seconds(59)))
    #expect(!isSuspended(model, after: .seconds(60)))
    breaker.recordCrash(of: model, at: start + .seconds(61))
    #expect(isSuspended(model, after: .seconds(61)))
    #expect(!isSuspended(model, after: .seconds(70)))
  }

  @Test func `Crashes of one model do not suspend another`() {
    for _ in 0..<3 { breaker.recordCrash(of: model, at: start) }
    #expect(!isSuspended(CrashLoopBreaker.ModelKey(path: "b", stamp: nil), after: .zero))
  }
}
