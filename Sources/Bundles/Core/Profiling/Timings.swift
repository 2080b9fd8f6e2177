/// How long each stage of a run took.
///
///     var timings = Timings()
///     let output = try model.run(image, timings: &timings)
///     print(timings.run.milliseconds)
///
/// Reading a clock can cost more than running a small model, so runs are timed only on request.
public struct Timings: Sendable, Hashable {
  /// The time to decode images.
  public var image: Duration = .zero
  /// The time to write values into tensors.
  public var input: Duration = .zero
  /// The time to run the model.
  public var run: Duration = .zero
  /// The time to read values from tensors.
  public var output: Duration = .zero
  /// The time from the call to the result, including the wait for a session.
  public var total: Duration = .zero
  /// The time of each step of a chain, in order; empty for other models.
  public var steps: [Step] = []

  /// A step of a chain.
  public struct Step: Sendable, Hashable {
    /// The name of the step.
    public let name: String
    /// How long it took.
    public let duration: Duration

    /// Creates a step.
    package init(_ name: String, _ duration: Duration) {
      (self.name, self.duration) = (name, duration)
    }
  }

  /// Creates timings of zero.
  public init() {}

  /// Adds time spent before the run to a stage and to the total.
  @inline(__always)  // so that the key path becomes a direct access
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

/// Measures the stages of a run; a disabled stopwatch does nothing.
struct Stopwatch {
  var timings = Timings()
  private var start: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?

  /// A stopwatch that measures nothing.
  static let disabled = Stopwatch()

  /// Returns a started stopwatch.
  static func running() -> Stopwatch {
    var stopwatch = Stopwatch()
    stopwatch.start = ContinuousClock.now
    stopwatch.last = stopwatch.start
    return stopwatch
  }

  /// Adds the time since the last lap to a stage.
  @inline(__always)  // so that the key path becomes a direct access
  mutating func lap(_ stage: WritableKeyPath<Timings, Duration>) {
    guard let last else { return }
    let now = ContinuousClock.now
    timings[keyPath: stage] += now - last
    self.last = now
  }

  /// Starts a new lap without recording the last one.
  mutating func discardLap() {
    if last != nil { last = ContinuousClock.now }
  }

  /// Sets the total to the time since the start.
  ///
  /// A stopwatch can be stopped several times.
  mutating func stop() {
    if let start { timings.total = ContinuousClock.now - start }
  }
}

/// The durations of a series of runs.
///
///     var record = LatencyRecord()
///     record.add(ContinuousClock().measure { _ = try? model.run(image) })
///     print(record.mean?.milliseconds ?? 0, record.percentile(90)?.milliseconds ?? 0)
public struct LatencyRecord: Sendable, Hashable {
  /// The durations, in the order in which they were added.
  public private(set) var durations: [Duration] = []

  /// Creates an empty record.
  public init() {}

  /// Adds the duration of a run.
  public mutating func add(_ duration: Duration) {
    durations.append(duration)
  }

  /// The number of runs.
  public var count: Int { durations.count }
  /// The duration of the last run.
  public var last: Duration? { durations.last }
  /// The total duration of all runs.
  public var total: Duration { durations.reduce(.zero, +) }
  /// The mean duration; `nil` without runs.
  public var mean: Duration? { durations.isEmpty ? nil : total / durations.count }

  /// Returns the duration that a percentage of the runs did not exceed; `nil` without runs.
  ///
  /// The result is the duration of one of the runs (nearest rank, rounded up).
  ///
  /// - Parameter percent: The percentage; values outside 0 to 100 are clamped.
  /// - Returns: The duration; `nil` if there are no runs or `percent` is NaN.
  public func percentile(_ percent: Double) -> Duration? {
    guard !durations.isEmpty, !percent.isNaN else { return nil }
    // Multiplied before dividing: 7 / 100 * 100 is above 7 in floating point and rounds up to 8.
    let rank = Int((min(max(percent, 0), 100) * Double(durations.count) / 100).rounded(.up))
    return durations.sorted()[max(0, rank - 1)]
  }
}

extension Timings {
  /// The stages in order, by name.
  package var stages: [(name: String, duration: Duration)] {
    [
      ("image", image), ("input", input), ("run", run), ("output", output), ("total", total),
    ]
  }

  /// The stages, and the steps of a chain, whose names have the prefix `step_`.
  package var laps: [(name: String, duration: Duration)] {
    stages + steps.map { ("step_\($0.name)", $0.duration) }
  }
}

extension Duration {
  /// The duration in milliseconds, rounded to microseconds.
  package var roundedMilliseconds: Double { (milliseconds * 1000).rounded() / 1000 }
}
