import Dispatch
import Synchronization

/// Processes items on several threads and delivers the results in order.
///
/// Memory does not grow with the number of items: threads run ahead of the delivered results by a
/// bounded number of items.
package enum OrderedParallelMap {
  /// What to do after a result is delivered.
  package enum Decision: Sendable {
    /// Continue with the next item.
    case proceed
    /// Deliver the items that have been started, but start no others.
    case finishPending
    /// Stop at once.
    case stop
  }

  /// The maximum number of undelivered items per thread.
  package static let maxPendingPerThread = 4

  /// Processes the indices below a count and delivers the results on the calling thread.
  ///
  /// The calling thread processes items, too. An additional thread that only delivers would take
  /// processor time from the others each time it wakes up.
  package static func run<Value: Sendable, Failure>(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Value,
    deliver: (Int, Value) throws(Failure) -> Decision
  ) throws(Failure) {
    guard threads > 1, count > 1 else {
      for index in 0..<count where try deliver(index, work(index)) != .proceed { return }
      return
    }
    let buffer = ReorderBuffer<Value>(count: count, capacity: threads * maxPendingPerThread)
    let group = DispatchGroup()
    for _ in 1..<min(threads, count) {
      // A serial queue gets a thread immediately; a concurrent one may wait for others.
      DispatchQueue(label: "tensorio.items").async(group: group) {
        while let index = buffer.claimNext() { buffer.store(work(index), at: index) }
      }
    }
    defer {
      buffer.close(waking: threads)
      group.wait()
    }
    for index in 0..<count {
      guard let value = buffer.value(at: index, whileWaiting: work) else { return }
      switch try deliver(index, value) {
      case .proceed: buffer.releaseSlot()
      case .finishPending: buffer.close(waking: threads)
      case .stop: return
      }
    }
  }
}

/// The items to be processed and the results that have not been delivered.
private final class ReorderBuffer<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var isClosed = false
    var values: [Int: Value] = [:]
  }

  private let count: Int
  private let state = Mutex(State())
  private let freeSlots: DispatchSemaphore
  private let completions = DispatchSemaphore(value: 0)

  init(count: Int, capacity: Int) {
    self.count = count
    // A semaphore's value must not be below its initial value when it is destroyed.
    freeSlots = DispatchSemaphore(value: 0)
    for _ in 0..<capacity { freeSlots.signal() }
  }

  /// Waits for a free slot and returns the next index; `nil` if there is none or the deadline
  /// passed.
  func claimNext(until deadline: DispatchTime = .distantFuture) -> Int? {
    guard freeSlots.wait(timeout: deadline) == .success else { return nil }
    return state.withLock { state in
      guard !state.isClosed, state.next < count else {
        freeSlots.signal()  // wakes the next waiting thread
        return nil
      }
      defer { state.next += 1 }
      return state.next
    }
  }

  func store(_ value: Value, at index: Int) {
    state.withLock { $0.values[index] = value }
    completions.signal()
  }

  /// Returns the result at an index, processing other items until it is available; `nil` if
  /// processing ended before that item was started.
  func value(at index: Int, whileWaiting work: (Int) -> Value) -> Value? {
    while true {
      if let value = state.withLock({ $0.values.removeValue(forKey: index) }) { return value }
      if let other = claimNext(until: .now()) {
        store(work(other), at: other)
      } else if state.withLock({ index < $0.next }) {
        completions.wait()
      } else {
        return nil
      }
    }
  }

  func releaseSlot() { freeSlots.signal() }

  /// Prevents further items from being started and wakes waiting threads.
  func close(waking workers: Int) {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workers { freeSlots.signal() }
  }
}
