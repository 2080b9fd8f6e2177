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
    #expect((1...(2 << 30)).contains(MemoryBudget.defaultByteCount))
    #expect((1...MemoryBudget.defaultByteCount).contains(MemoryBudget.ofServer().byteCount))
  }
}

/// Memory of requests that grows while they are received and handled.
@Suite(.hangGuard) struct MemoryReservationTests {
  private static let mebibyte = 1 << 20

  /// Returns the status of the error of a growth; `nil` if there is none.
  private func status(
    _ reservation: MemoryReservation, _ bytes: Int, for use: MemoryBudget.Use = .working
  ) -> Int? {
    do throws(ClientError) {
      try reservation.grow(by: bytes, for: use)
      return nil
    } catch {
      return error.status.code
    }
  }

  @Test func `A reservation grows, shrinks, and is released with its last reference`() throws {
    let budget = MemoryBudget(byteCount: 8 * Self.mebibyte)
    do {
      let reservation = MemoryReservation(budget)
      try reservation.grow(by: 3000)
      try reservation.grow(by: 2000)
      #expect(reservation.byteCount == 5000 && budget.usedBytes == 5000)
      reservation.shrink(by: 1000)
      let part = reservation.split(1500)
      #expect(part.byteCount == 1500 && reservation.byteCount == 2500 && budget.usedBytes == 4000)
      reservation.resize(to: 6000)
      #expect(budget.usedBytes == 7500)
    }
    #expect(budget.usedBytes == 0)
  }

  @Test func `What fits never is told from what others hold`() {
    let budget = MemoryBudget(byteCount: 8 * Self.mebibyte)
    let (first, second) = (MemoryReservation(budget), MemoryReservation(budget))
    #expect(status(first, 8 * Self.mebibyte) == 413)
    #expect(status(first, 6 * Self.mebibyte) == nil)
    #expect(status(second, 2 * Self.mebibyte) == 429)
    #expect(budget.usedBytes == 6 * Self.mebibyte)
    first.resize(to: 0)
    #expect(status(second, 2 * Self.mebibyte) == nil)
  }

  @Test func `Incomplete requests leave half, and large ones an eighth to small ones`() {
    let budget = MemoryBudget(byteCount: 8 * Self.mebibyte)
    let receiving = MemoryReservation(budget)
    #expect(status(receiving, 5 * Self.mebibyte, for: .receiving) == 413)
    #expect(status(receiving, 4 * Self.mebibyte, for: .receiving) == nil)
    #expect(status(MemoryReservation(budget), Self.mebibyte, for: .receiving) == 429)
    let working = MemoryReservation(budget)
    #expect(status(working, 3 * Self.mebibyte) == nil)
    #expect(status(working, 1) == 429)
    let small = (0..<16).map { _ in MemoryReservation(budget) }
    #expect(small.allSatisfy { status($0, 64 << 10, for: .receiving) == nil })
    #expect(status(MemoryReservation(budget), 1) == 429)
  }

  @Test func `The budget follows the memory that is free`() async throws {
    let free = Mutex(90 * Self.mebibyte)
    let budget = MemoryBudget(maxByteCount: 64 * Self.mebibyte) { free.withLock(\.self) }
    // A third of what is free is left to what is not counted.
    #expect(budget.byteCount == 60 * Self.mebibyte)
    let reservation = MemoryReservation(budget)
    try reservation.grow(by: 40 * Self.mebibyte)
    // What the request has allocated is no loss.
    free.withLock { $0 = 50 * Self.mebibyte }
    try await Task.sleep(for: .milliseconds(30))
    #expect(budget.byteCount == 60 * Self.mebibyte)
    // A model has been opened meanwhile.
    free.withLock { $0 = 23 * Self.mebibyte }
    try await Task.sleep(for: .milliseconds(30))
    #expect(budget.byteCount == 42 * Self.mebibyte)
    #expect(status(reservation, 8 * Self.mebibyte) == 413)
    reservation.resize(to: 0)
    free.withLock { $0 = 200 * Self.mebibyte }
    try await Task.sleep(for: .milliseconds(30))
    #expect(budget.byteCount == 64 * Self.mebibyte)
    // Ordinary requests are answered while there is any memory.
    free.withLock { $0 = 0 }
    try await Task.sleep(for: .milliseconds(30))
    #expect(budget.byteCount == 4 * Self.mebibyte)
  }
}
