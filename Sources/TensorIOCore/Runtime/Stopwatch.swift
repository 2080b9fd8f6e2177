/// Measures the stages of one run, or does nothing at no cost.
struct Stopwatch {
  private(set) var timings = Timings()
  private var start: ContinuousClock.Instant?
  private var last: ContinuousClock.Instant?

  /// A stopwatch that measures nothing.
  static let off = Stopwatch()

  /// A stopwatch that runs.
  static func started() -> Stopwatch {
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
  mutating func skip() {
    if last != nil { last = ContinuousClock.now }
  }

  /// Books the time since the start.
  mutating func stop() {
    if let start { timings.total += ContinuousClock.now - start }
  }
}
