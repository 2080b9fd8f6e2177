import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore

/// A model that is open for one setting, and what has been measured of it.
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

  /// Opens a model and runs it for the first time.
  init(
    _ setting: BenchmarkConfiguration, _ input: ModelInput, opening: () throws(ModelError) -> Model
  ) throws(ModelError) {
    self.configuration = setting
    items = Array(repeating: input, count: setting.batchSize)
    let before = MemorySampler.residentBytes
    let start = ContinuousClock.now
    model = try opening()
    loadTime = ContinuousClock.now - start
    firstRun = try model.timedRun(of: items).total
    let after = MemorySampler.residentBytes
    loadMemoryGrowth = memoryGrowth(from: before, to: after)
  }

  /// Runs that do not count, by as many callers as there will be, so that every session has run.
  mutating func warmUp(
    _ count: Int, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) {
    guard count > 0 else { return }
    _ = try round(.runs(max(count, configuration.concurrency)), isCancelled)
  }

  /// One round that counts.
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

  /// What has been measured; `nil` before the first round.
  var result: BenchmarkResult? {
    guard count > 0 else { return nil }
    return BenchmarkResult(
      configuration: configuration, runCount: count, roundThroughputs: roundThroughputs, stageLatencies: runs.stageLatencies,
      loadMilliseconds: loadTime.milliseconds, firstRunMilliseconds: firstRun.milliseconds, loadMemoryGrowth: loadMemoryGrowth,
      runMemoryGrowth: runMemoryGrowth, residentBytes: residentBytes)
  }
}

/// By how much memory grew, where both are known.
private func memoryGrowth(from before: Int?, to after: Int?) -> Int? {
  guard let before, let after else { return nil }
  return after - before
}

extension Model {
  /// How long a run on some items takes, stage by stage.
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

/// Runs by several callers at the same time, each of which begins the next when one has ended.
struct BenchmarkRound {
  /// The most runs of a round of which the time is kept, so that keeping them takes no memory that
  /// would look like the model's.
  static let maxRecordedRuns = 1000

  /// How many runs there were.
  let count: Int
  /// What the first of them took, in no order.
  let timings: [Timings]
  /// From the first beginning to the last end.
  let duration: Duration

  /// Runs until the length is over or somebody wants to end; the first error ends all.
  init(
    concurrency: Int, _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool,
    _ run: @escaping @Sendable () throws(ModelError) -> Timings
  ) throws(ModelError) {
    let board = RoundState(length)
    let call: @Sendable () -> Void = {
      while !isCancelled(), board.beginRun() {
        board.endRun(Result { () throws(ModelError) in try run() })
      }
    }
    guard concurrency > 1 else {
      call()
      (count, timings, duration) = try board.result()
      return
    }
    let threads = DispatchGroup()
    for _ in 0..<concurrency {
      // A serial queue has a thread at once; a concurrent one waits for others.
      DispatchQueue(label: "tensorio.benchmark").async(group: threads, execute: call)
    }
    threads.wait()
    (count, timings, duration) = try board.result()
  }
}

/// What the callers of a round share.
private final class RoundState: Sendable {
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
  func beginRun() -> Bool {
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
