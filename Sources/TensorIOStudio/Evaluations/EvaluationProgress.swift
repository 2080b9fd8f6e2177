internal import TensorIOEvaluation

/// How far an evaluation has come.
struct EvaluationProgress: Sendable {
  /// What an evaluation can be at.
  enum Stage: String, Sendable {
    /// Pictures are being brought.
    case filling
    case running, done, cancelled, failed
  }

  var stage = Stage.filling
  /// How many items are behind it.
  var done = 0
  /// How many there are.
  var count = 0
  /// When the first item began, and the last ended.
  var times: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?
  /// Why it came to nothing.
  var fault: String?
  var result: EvaluationResult?

  /// Whether nothing will change any more.
  var isOver: Bool { stage != .filling && stage != .running }

  /// How many items a second are done.
  var rate: Double? {
    guard let times, done > 0 else { return nil }
    let seconds = times.start.duration(to: times.end) / .seconds(1)
    return seconds > 0 ? Double(done) / seconds : nil
  }

  /// How many seconds it will go on at this rate.
  var secondsLeft: Double? {
    guard stage == .running, let rate else { return nil }
    return Double(count - done) / rate
  }
}
