import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Memory that requests share.
@Suite(.hangGuard) struct MemoryBudgetTests {
  private var soon: ContinuousClock.Instant { .now + .milliseconds(20) }
  private var later: ContinuousClock.Instant { .now + .seconds(30) }

  @Test func `Reservations share the budget`() {
    let budget = MemoryBudget(byteCount: 100)
    #expect(budget.reserve(60, isBackground: false, until: soon))
    #expect(!budget.reserve(60, isBackground: false, until: soon))
    #expect(budget.reserve(40, isBackground: false, until: soon))
    #expect(budget.usedBytes == 100)
    budget.release(60, isBackground: false)
    #expect(budget.reserve(60, isBackground: false, until: soon))
  }

  @Test func `A reservation that never fits fails without waiting`() {
    let budget = MemoryBudget(byteCount: 100)
    #expect(!budget.reserve(101, isBackground: false, until: later))
    #expect(!budget.reserve(76, isBackground: true, until: later))
  }

  @Test func `Background work leaves a quarter to others`() {
    let budget = MemoryBudget(byteCount: 100)
    #expect(budget.reserve(75, isBackground: true, until: soon))
    #expect(!budget.reserve(1, isBackground: true, until: soon))
    #expect(budget.reserve(25, isBackground: false, until: soon))
  }

  @Test func `Waiting reservations are served in order`() async throws {
    let budget = MemoryBudget(byteCount: 100)
    #expect(budget.reserve(100, isBackground: false, until: soon))
    async let large = onNewThread { [later] in
      budget.reserve(80, isBackground: false, until: later)
    }
    try await waitUntil { budget.waiterCount == 1 }
    // It would fit, but the larger one waits longer.
    budget.release(50, isBackground: false)
    #expect(!budget.reserve(10, isBackground: false, until: soon))
    budget.release(50, isBackground: false)
    #expect(await large)
    #expect(budget.usedBytes == 80)
  }

  @Test func `A reservation that times out lets the next one proceed`() async throws {
    let budget = MemoryBudget(byteCount: 100)
    #expect(budget.reserve(50, isBackground: false, until: soon))
    // Enqueued on this thread: a reservation that a slow thread makes could time out before the
    // test sees it wait.
    let large = Mutex<Bool?>(nil)
    budget.reserve(80, isBackground: false, until: .now + .milliseconds(100)) { result in
      large.withLock { $0 = result }
    }
    #expect(budget.reserve(50, isBackground: false, until: later))
    try await waitUntil { large.withLock { $0 } == false }
    #expect(budget.usedBytes == 100)
  }

  @Test func `The default follows the memory of the machine or container`() {
    #expect((1...(1 << 30)).contains(MemoryBudget.defaultByteCount))
  }
}
