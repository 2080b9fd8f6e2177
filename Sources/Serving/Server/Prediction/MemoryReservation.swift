import Synchronization

/// The part of a memory budget that a request holds, released with the last reference to it.
///
/// Code that allocates memory whose size a client chooses makes the reservation grow first. A request that
/// does not fit fails before it takes anything.
package final class MemoryReservation: Sendable {
  private let budget: MemoryBudget
  private let isBackground: Bool
  private let heldBytes: Mutex<Int>

  /// Creates a reservation without memory.
  package init(_ budget: MemoryBudget) {
    (self.budget, isBackground) = (budget, false)
    heldBytes = Mutex(0)
  }

  /// Takes over bytes that are reserved.
  init(_ budget: MemoryBudget, byteCount: Int, isBackground: Bool) {
    (self.budget, self.isBackground) = (budget, isBackground)
    heldBytes = Mutex(byteCount)
  }

  deinit { budget.release(byteCount, isBackground: isBackground) }

  /// The bytes that are reserved.
  package var byteCount: Int { heldBytes.withLock(\.self) }

  /// Reserves more bytes.
  ///
  /// - Throws: A ``ClientError`` if the request needs more memory than it can have, or others hold it.
  package func grow(
    by bytes: Int, for use: MemoryBudget.Use = .working
  ) throws(ClientError) {
    let growth = heldBytes.withLock { held in
      let growth = budget.grow(from: held, by: bytes, for: use, isBackground: isBackground)
      if growth == .granted { held += bytes }
      return growth
    }
    switch growth {
    case .granted: return
    case .exhausted: throw .memoryExhausted
    case .tooLarge(let max): throw .memoryExceeded(byteCount + bytes, max: max)
    }
  }

  /// Throws an error if the reservation could never have a number of bytes.
  func checkCapacity(_ bytes: Int, for use: MemoryBudget.Use) throws(ClientError) {
    let max = budget.maxBytes(for: use, total: bytes)
    guard bytes <= max else { throw .memoryExceeded(bytes, max: max) }
  }

  /// Whether the reservation has a number of bytes, after it has grown if there is memory.
  func holds(_ bytes: Int) -> Bool {
    (try? grow(by: max(0, bytes - byteCount))) != nil
  }

  /// Changes the number of bytes to that of memory that exists.
  func resize(to bytes: Int) {
    let difference = heldBytes.withLock { held in
      defer { held = bytes }
      return bytes - held
    }
    if difference > 0 {
      budget.take(difference, isBackground: isBackground)
    } else {
      budget.release(-difference, isBackground: isBackground)
    }
  }

  /// Releases bytes.
  func shrink(by bytes: Int) { resize(to: max(0, byteCount - bytes)) }

  /// Moves bytes to a new reservation.
  func split(_ bytes: Int) -> MemoryReservation {
    let moved = heldBytes.withLock { held in
      let moved = min(held, bytes)
      held -= moved
      return moved
    }
    return MemoryReservation(budget, byteCount: moved, isBackground: isBackground)
  }
}

extension ClientError {
  /// Other requests hold the memory that a request needs.
  static let memoryExhausted = ClientError(
    .tooManyRequests, "memory-exhausted",
    "other requests use the memory that the server has for requests; try again")

  /// A request needs more memory than a server has for all of them.
  static func memoryExceeded(_ bytes: Int, max: Int) -> ClientError {
    ClientError(
      .contentTooLarge, "memory-exceeded",
      "the request needs at least \(bytes) bytes of memory; the server has \(max) bytes at most")
  }
}
