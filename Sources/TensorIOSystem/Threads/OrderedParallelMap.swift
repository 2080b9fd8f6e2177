import Dispatch
import Synchronization

/// Work on many things by several threads, of which what comes out is handed over in order.
///
/// No thread runs further ahead of what has been handed over than a few things each, so that memory
/// does not grow with their count.
package enum OrderedParallelMap {
  /// What the one who is handed something wants next.
  package enum Decision: Sendable {
    case proceed
    /// Only what has been begun.
    case finishPending
    case stop
  }

  /// How many things a thread may be ahead of what has been handed over.
  package static let maxPendingPerThread = 4

  /// Works on the numbers below a count, and hands over in the calling thread.
  ///
  /// The calling thread is one of the workers and hands over in between: one more that only waited
  /// for the others would take a processor from them each time that it woke.
  package static func run<Value: Sendable, Failure>(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (Int) -> Value,
    deliver: (Int, Value) throws(Failure) -> Decision
  ) throws(Failure) {
    guard threads > 1, count > 1 else {
      for index in 0..<count where try deliver(index, work(index)) != .proceed { return }
      return
    }
    let board = ReorderBuffer<Value>(count: count, capacity: threads * maxPendingPerThread)
    let group = DispatchGroup()
    for _ in 1..<min(threads, count) {
      // A serial queue has a thread at once; a concurrent one waits for others.
      DispatchQueue(label: "tensorio.items").async(group: group) {
        while let index = board.claimNext() { board.store(work(index), at: index) }
      }
    }
    defer {
      board.close(waking: threads)
      group.wait()
    }
    for index in 0..<count {
      guard let value = board.value(at: index, whileWaiting: work) else { return }
      switch try deliver(index, value) {
      case .proceed: board.releaseSlot()
      case .finishPending: board.close(waking: threads)
      case .stop: return
      }
    }
  }
}

/// What is to do, and what has been done and not been handed over yet.
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
    // A semaphore may not end lower than it began.
    freeSlots = DispatchSemaphore(value: 0)
    for _ in 0..<capacity { freeSlots.signal() }
  }

  /// The next thing to do, when there is room for what comes of it.
  func claimNext(until deadline: DispatchTime = .distantFuture) -> Int? {
    guard freeSlots.wait(timeout: deadline) == .success else { return nil }
    return state.withLock { state in
      guard !state.isClosed, state.next < count else {
        freeSlots.signal()  // the others come to an end, too
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

  /// What comes of one thing, with work on others until it is there; `nil` when nobody will do it.
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

  /// Nothing more is begun.
  func close(waking workers: Int) {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workers { freeSlots.signal() }
  }
}
