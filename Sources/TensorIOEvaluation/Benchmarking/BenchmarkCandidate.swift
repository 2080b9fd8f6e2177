internal import TensorIOCore

/// A model that is open for one setting, and what has been measured of it.
struct BenchmarkCandidate {
  private let setting: BenchmarkSetting
  private let model: Model
  private let items: [ModelInput]
  private let open: Duration
  private let firstRun: Duration
  private let openedBytes: Int?
  private var count = 0
  private var runs: [Timings] = []
  private var rates: [Double] = []
  private var grownBytes: Int?
  private var residentBytes: Int?

  /// Opens a model and runs it for the first time.
  init(
    _ setting: BenchmarkSetting, _ input: ModelInput, opening: () throws(ModelError) -> Model
  ) throws(ModelError) {
    self.setting = setting
    items = Array(repeating: input, count: setting.batch)
    let before = MemorySampler.residentBytes
    let start = ContinuousClock.now
    model = try opening()
    open = ContinuousClock.now - start
    firstRun = try model.timedRun(of: items).total
    let after = MemorySampler.residentBytes
    openedBytes = growth(from: before, to: after)
  }

  /// Runs that do not count, by as many callers as there will be, so that every session has run.
  mutating func warmUp(
    _ count: Int, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) {
    guard count > 0 else { return }
    _ = try round(.runs(max(count, setting.concurrency)), isCancelled)
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
    runs += round.runs
    let seconds = max(round.duration.milliseconds / 1000, .leastNonzeroMagnitude)
    rates.append(Double(round.count * setting.batch) / seconds)
    if let growth = growth(from: before, to: residentBytes) {
      grownBytes = (grownBytes ?? 0) + growth
    }
  }

  private func round(
    _ length: Benchmark.Length, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(ModelError) -> BenchmarkRound {
    try BenchmarkRound(callers: setting.concurrency, length, isCancelled) {
      [model, items] () throws(ModelError) in try model.timedRun(of: items)
    }
  }

  /// What has been measured; `nil` before the first round.
  var result: BenchmarkResult? {
    guard count > 0 else { return nil }
    return BenchmarkResult(
      setting: setting, runs: count, rates: rates, stages: runs.stageSpeeds,
      open: open.milliseconds, firstRun: firstRun.milliseconds, openedBytes: openedBytes,
      grownBytes: grownBytes, residentBytes: residentBytes)
  }
}

/// By how much memory grew, where both are known.
private func growth(from before: Int?, to after: Int?) -> Int? {
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
