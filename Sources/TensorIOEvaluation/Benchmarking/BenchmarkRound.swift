internal import Dispatch
internal import Synchronization
internal import TensorIOCore

/// Runs by several callers at the same time, each of which begins the next when one has ended.
struct BenchmarkRound {
  /// The most runs of a round of which the time is kept, so that keeping them takes no memory that
  /// would look like the model's.
  static let keptRuns = 1000

  /// How many runs there were.
  let count: Int
  /// What the first of them took, in no order.
  let runs: [Timings]
  /// From the first beginning to the last end.
  let duration: Duration

  /// Runs until the length is over or somebody wants to end; the first error ends all.
  init(
    callers: Int, _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool,
    _ run: @escaping @Sendable () throws(ModelError) -> Timings
  ) throws(ModelError) {
    let board = RoundBoard(length)
    let call: @Sendable () -> Void = {
      while !isCancelled(), board.begin() {
        board.end(Result { () throws(ModelError) in try run() })
      }
    }
    guard callers > 1 else {
      call()
      (count, runs, duration) = try board.result()
      return
    }
    let threads = DispatchGroup()
    for _ in 0..<callers {
      // A serial queue has a thread at once; a concurrent one waits for others.
      DispatchQueue(label: "tensorio.benchmark").async(group: threads, execute: call)
    }
    threads.wait()
    (count, runs, duration) = try board.result()
  }
}

/// What the callers of a round share.
private final class RoundBoard: Sendable {
  private struct State {
    var left: Int
    var deadline: ContinuousClock.Instant?
    var count = 0
    var runs: [Timings] = []
    var start: ContinuousClock.Instant?
    var end: ContinuousClock.Instant?
    var error: ModelError?
  }

  private let state: Mutex<State>
  private let time: Duration?

  init(_ length: Benchmark.Length) {
    switch length {
    case .runs(let count):
      time = nil
      state = Mutex(State(left: count))
    case .time(let duration):
      time = duration
      state = Mutex(State(left: .max))
    }
  }

  /// Leave to run once more; the first is always given, and time counts from there.
  func begin() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      if state.start == nil {
        state.start = now
        state.deadline = time.map { now + $0 }
      }
      let isOver = state.deadline.map { now >= $0 && state.count > 0 } ?? false
      guard state.error == nil, state.left > 0, !isOver else { return false }
      state.left -= 1
      return true
    }
  }

  func end(_ run: Result<Timings, ModelError>) {
    let now = ContinuousClock.now
    state.withLock { state in
      state.end = max(now, state.end ?? now)
      switch run {
      case .success(let timings):
        state.count += 1
        if state.runs.count < BenchmarkRound.keptRuns { state.runs.append(timings) }
      case .failure(let error): state.error = state.error ?? error
      }
    }
  }

  func result() throws(ModelError) -> (count: Int, runs: [Timings], duration: Duration) {
    let state = state.withLock { $0 }
    if let error = state.error { throw error }
    guard let start = state.start, let end = state.end else { return (0, [], .zero) }
    return (state.count, state.runs, end - start)
  }
}
