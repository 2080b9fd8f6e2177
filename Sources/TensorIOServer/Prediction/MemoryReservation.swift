/// A part of a memory budget, released with the last reference to it.
package final class MemoryReservation: Sendable {
  private let budget: MemoryBudget
  private let byteCount: Int
  private let isBackground: Bool

  /// Takes over bytes that are reserved.
  init(_ budget: MemoryBudget, byteCount: Int, isBackground: Bool) {
    (self.budget, self.byteCount, self.isBackground) = (budget, byteCount, isBackground)
  }

  deinit { budget.release(byteCount, isBackground: isBackground) }
}
