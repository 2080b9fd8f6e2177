/// Where the time of one run went, stage by stage.
///
/// Reading a clock costs more than a small model, so a run is timed only when asked.
public struct Timings: Sendable, Hashable {
  /// Decoding pictures.
  public var image: Duration = .zero
  /// Writing values into tensors.
  public var input: Duration = .zero
  /// Computing.
  public var run: Duration = .zero
  /// Reading values out of tensors.
  public var output: Duration = .zero
  /// From the call to the result, waiting for a session included.
  public var total: Duration = .zero

  /// No time at all.
  public init() {}

  /// Books what was done before the run.
  package mutating func add(_ time: Duration, to stage: WritableKeyPath<Timings, Duration>) {
    self[keyPath: stage] += time
    total += time
  }
}

extension Duration {
  /// The duration in milliseconds.
  public var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }
}

/// Measures the stages of one run, or does nothing at no cost.
struct Stopwatch {
  private(set) var timings = Timings()
  private var start: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?

  /// A stopwatch that measures nothing.
  static let disabled = Stopwatch()

  /// A stopwatch that runs.
  static func running() -> Stopwatch {
    var stopwatch = Stopwatch()
    stopwatch.start = ContinuousClock.now
    stopwatch.last = stopwatch.start
    return stopwatch
  }

  /// Books the time since the last lap on a stage.
  mutating func lap(_ stage: WritableKeyPath<Timings, Duration>) {
    guard let last else { return }
    let now = ContinuousClock.now
    timings[keyPath: stage] += now - last
    self.last = now
  }

  /// Books the time since the last lap on no stage.
  mutating func discardLap() {
    if last != nil { last = ContinuousClock.now }
  }

  /// Books the time since the start.
  mutating func stop() {
    if let start { timings.total += ContinuousClock.now - start }
  }
}

/// How long a model's runs took, one after the other.
///
///     var record = LatencyRecord()
///     record.add(ContinuousClock().measure { _ = try? model.run(picture) })
///     print(record.mean?.milliseconds ?? 0, record.percentile(90)?.milliseconds ?? 0)
public struct LatencyRecord: Sendable, Hashable {
  /// The durations, in the order in which they were added.
  public private(set) var durations: [Duration] = []

  /// A record without runs.
  public init() {}

  /// Adds a run.
  public mutating func add(_ duration: Duration) {
    durations.append(duration)
  }

  /// How many runs there were.
  public var count: Int { durations.count }
  /// How long the last run took.
  public var last: Duration? { durations.last }
  /// How long all runs took.
  public var total: Duration { durations.reduce(.zero, +) }
  /// How long a run took on average; `nil` without runs.
  public var mean: Duration? { durations.isEmpty ? nil : total / durations.count }

  /// The duration that so many percent of the runs did not exceed; `nil` without runs.
  ///
  /// It is always that of one of the runs: the nearest above.
  public func percentile(_ percent: Double) -> Duration? {
    guard !durations.isEmpty, percent == percent else { return nil }
    let share = min(max(percent, 0), 100) / 100
    let rank = Int((share * Double(durations.count)).rounded(.up))
    return durations.sorted()[max(0, rank - 1)]
  }
}

extension Timings {
  /// The stages by their names, in order.
  package var stages: [(name: String, duration: Duration)] {
    [
      ("picture", image), ("input", input), ("run", run), ("output", output), ("total", total),
    ]
  }
}

extension Duration {
  /// The milliseconds, to the microsecond.
  package var roundedMilliseconds: Double { (milliseconds * 1000).rounded() / 1000 }
}
