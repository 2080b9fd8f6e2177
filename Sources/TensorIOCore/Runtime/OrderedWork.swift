internal import Dispatch
internal import Synchronization

/// Work on many things by several threads, of which what comes out is handed over in order.
///
/// No thread runs further ahead of what has been handed over than a few things each, so that memory
/// does not grow with their count.
package enum OrderedWork {
  /// What the one who is handed something wants next.
  package enum Wish: Sendable {
    case more
    /// Only what has been begun.
    case rest
    case nothing
  }

  /// How many things a thread may be ahead of what has been handed over.
  package static let lead = 4

  /// Works on the numbers below a count, and hands over in the calling thread.
  ///
  /// The calling thread is one of the workers and hands over in between: one more that only waited
  /// for the others would take a processor from them each time that it woke.
  package static func perform<Value: Sendable, Failure>(
    _ count: Int, workers: Int, _ work: @escaping @Sendable (Int) -> Value,
    deliver: (Int, Value) throws(Failure) -> Wish
  ) throws(Failure) {
    guard workers > 1, count > 1 else {
      for index in 0..<count where try deliver(index, work(index)) != .more { return }
      return
    }
    let board = Board<Value>(count: count, ahead: workers * lead)
    let threads = DispatchGroup()
    for _ in 1..<min(workers, count) {
      // A serial queue has a thread at once; a concurrent one waits for others.
      DispatchQueue(label: "tensorio.items").async(group: threads) {
        while let index = board.take() { board.put(work(index), at: index) }
      }
    }
    defer {
      board.close(wakening: workers)
      threads.wait()
    }
    for index in 0..<count {
      guard let value = board.value(at: index, else: work) else { return }
      switch try deliver(index, value) {
      case .more: board.makeRoom()
      case .rest: board.close(wakening: workers)
      case .nothing: return
      }
    }
  }
}

/// What is to do, and what has been done and not been handed over yet.
private final class Board<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var isClosed = false
    var values: [Int: Value] = [:]
  }

  private let count: Int
  private let state = Mutex(State())
  private let room: DispatchSemaphore
  private let news = DispatchSemaphore(value: 0)

  init(count: Int, ahead: Int) {
    self.count = count
    // A semaphore may not end lower than it began.
    room = DispatchSemaphore(value: 0)
    for _ in 0..<ahead { room.signal() }
  }

  /// The next thing to do, when there is room for what comes of it.
  func take(until deadline: DispatchTime = .distantFuture) -> Int? {
    guard room.wait(timeout: deadline) == .success else { return nil }
    return state.withLock { state in
      guard !state.isClosed, state.next < count else {
        room.signal()  // the others come to an end, too
        return nil
      }
      defer { state.next += 1 }
      return state.next
    }
  }

  func put(_ value: Value, at index: Int) {
    state.withLock { $0.values[index] = value }
    news.signal()
  }

  /// What comes of one thing, with work on others until it is there; `nil` when nobody will do it.
  func value(at index: Int, else work: (Int) -> Value) -> Value? {
    while true {
      if let value = state.withLock({ $0.values.removeValue(forKey: index) }) { return value }
      if let other = take(until: .now()) {
        put(work(other), at: other)
      } else if state.withLock({ index < $0.next }) {
        news.wait()
      } else {
        return nil
      }
    }
  }

  func makeRoom() { room.signal() }

  /// Nothing more is begun.
  func close(wakening workers: Int) {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workers { room.signal() }
  }
}
