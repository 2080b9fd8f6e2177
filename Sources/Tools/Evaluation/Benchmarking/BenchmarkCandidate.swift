import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore

/// An open model for one configuration, and its measurements.
struct BenchmarkCandidate {
  private let configuration: BenchmarkConfiguration
  private let model: Model
  private let items: [ModelInput]
  private let loadTime: Duration
  private let firstRun: Duration
  private let loadMemoryGrowth: Int?
  private var count = 0
  private var runs: [Timings] = []
  private var roundThroughputs: [Double] = []
  private var runMemoryGrowth: Int?
  private var residentBytes: Int?

  /// Opens a model and performs the first run.
  init(
    _ configuration: BenchmarkConfiguration, _ input: ModelInput,
    opening: () throws(ModelError) -> Model
  ) throws(ModelError) {
    self.configuration = configuration
    items = Array(repeating: input, count: configuration.batchSize)
    let before = MemorySampler.residentBytes
    let start = ContinuousClock.now
    model = try opening()
    loadTime = ContinuousClock.now - start
    firstRun = try model.timedRun(of: items).total
    let after = MemorySampler.residentBytes
    loadMemoryGrowth = memoryGrowth(from: before, to: after)
  }

  /// Performs unmeasured runs, at least one for every session.
  mutating func warmUp(
    _ count: Int, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) {
    guard count > 0 else { return }
    _ = try round(.runs(max(count, configuration.concurrency)), isCancelled)
  }

  /// Measures one round.
  mutating func measure(
    _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) {
    let before = MemorySampler.residentBytes
    let round = try round(length, isCancelled)
    guard round.count > 0 else { return }
    residentBytes = MemorySampler.residentBytes
    count += round.count
    runs += round.timings
    let seconds = max(round.duration.milliseconds / 1000, .leastNonzeroMagnitude)
    roundThroughputs.append(Double(round.count * configuration.batchSize) / seconds)
    if let growth = memoryGrowth(from: before, to: residentBytes) {
      runMemoryGrowth = (runMemoryGrowth ?? 0) + growth
    }
  }

  private func round(
    _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) -> BenchmarkRound {
    try BenchmarkRound(concurrency: configuration.concurrency, length, isCancelled) {
      [model, items] () throws(ModelError) in try model.timedRun(of: items)
    }
  }

  /// The measurements; `nil` before the first round.
  var result: BenchmarkResult? {
    guard count > 0 else { return nil }
    return BenchmarkResult(
      configuration: configuration, runCount: count, roundThroughputs: roundThroughputs,
      stageLatencies: runs.stageLatencies, loadMilliseconds: loadTime.milliseconds,
      firstRunMilliseconds: firstRun.milliseconds, loadMemoryGrowth: loadMemoryGrowth,
      runMemoryGrowth: runMemoryGrowth, residentBytes: residentBytes)
  }
}

/// Returns the growth of memory, if both values are known.
private func memoryGrowth(from before: Int?, to after: Int?) -> Int? {
  guard let before, let after else { return nil }
  return after - before
}

extension Model {
  /// Runs the model on some items and returns the timings.
  fileprivate func timedRun(of items: [ModelInput]) throws(ModelError) -> Timings {
    var timings = Timings()
    if items.count == 1 {
      _ = try run(items[0], timings: &timings)
    } else {
      _ = try run(batch: items, timings: &timings)
    }
    return timings
  }
}

/// A round of runs by concurrent callers.
struct BenchmarkRound {
  /// The maximum number of timings that are stored, so that storing them does not distort the
  /// memory measurement.
  static let maxRecordedRuns = 1000

  /// The number of runs.
  let count: Int
  /// The timings of the first runs, in no particular order.
  let timings: [Timings]
  /// The time from the start of the first run to the end of the last.
  let duration: Duration

  /// Runs until the length is reached, the round is canceled or a run throws.
  init(
    concurrency: Int, _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool,
    _ run: @escaping @Sendable () throws(ModelError) -> Timings
  ) throws(ModelError) {
    let state = RoundState(length)
    let call: @Sendable () -> Void = {
      while !isCancelled(), state.beginRun() {
        state.endRun(Result { () throws(ModelError) in try run() })
      }
    }
    guard concurrency > 1 else {
      call()
      (count, timings, duration) = try state.result()
      return
    }
    let group = DispatchGroup()
    for _ in 0..<concurrency {
      // A serial queue gets a thread at once; a concurrent queue may wait for others.
      DispatchQueue(label: "tensorio.benchmark").async(group: group, execute: call)
    }
    group.wait()
    (count, timings, duration) = try state.result()
  }
}

/// The state that the callers of a round share.
private final class RoundState: Sendable {
  private struct State {
    var remaining: Int
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
      state = Mutex(State(remaining: count))
    case .time(let duration):
      time = duration
      state = Mutex(State(remaining: .max))
    }
  }

  /// Returns whether the caller may start another run; the clock starts with the first run.
  func beginRun() -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      if state.start == nil {
        state.start = now
        state.deadline = time.map { now + $0 }
      }
      let isOver = state.deadline.map { now >= $0 && state.count > 0 } ?? false
      guard state.error == nil, state.remaining > 0, !isOver else { return false }
      state.remaining -= 1
      return true
    }
  }

  func endRun(_ run: Result<Timings, ModelError>) {
    let now = ContinuousClock.now
    state.withLock { state in
      state.end = max(now, state.end ?? now)
      switch run {
      case .success(let timings):
        state.count += 1
        if state.runs.count < BenchmarkRound.maxRecordedRuns { state.runs.append(timings) }
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
