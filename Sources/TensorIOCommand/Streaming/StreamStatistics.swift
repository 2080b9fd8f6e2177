internal import TensorIOCore
internal import TensorIOEvaluation

/// How many frames have come and gone, and how long the work on them took.
struct StreamStatistics {
  /// How many frames the source has given.
  var came = 0
  /// How many were answered.
  private(set) var answered = 0
  /// How many failed.
  private(set) var failed = 0
  private var stages: [(name: String, latency: RunningLatency)] = []

  /// How many came too soon, or while there was no time for them.
  var dropped: Int { max(0, came - answered - failed) }

  /// Counts a frame that was answered, with the time that each stage took.
  mutating func count(_ durations: [(name: String, duration: Duration)]) {
    answered += 1
    for (name, duration) in durations {
      let place = stages.firstIndex { $0.name == name } ?? stages.endIndex
      if place == stages.endIndex { stages.append((name, RunningLatency())) }
      stages[place].latency.add(duration)
    }
  }

  /// Counts a frame that failed.
  mutating func countFailure() { failed += 1 }

  /// How many frames came and went, in a line.
  var counts: String {
    "\(came) \(came == 1 ? "frame" : "frames") in, \(answered) out, \(dropped) dropped"
      + (failed > 0 ? ", \(failed) failed" : "")
  }

  /// A table of the stages: mean, median, and what 95 of 100 frames did not exceed.
  var table: [String] {
    let header = ["ms", "mean", "p50", "p95"]
    let rows = stages.map { [$0.name] + $0.latency.texts }
    guard !rows.isEmpty else { return [] }
    return TextTable(header, rows).lines
  }

  /// The time of whole frames, in a few words; `nil` before the first.
  var summary: String? {
    guard let whole = stages.last?.latency else { return nil }
    let texts = whole.texts
    return "mean \(texts[0]), p50 \(texts[1]), p95 \(texts[2]) ms a frame"
  }
}

/// The mean of all durations, and the spread of the latest of them.
///
/// A stream may go on for days, so no more than the latest are kept.
struct RunningLatency {
  /// Of how many durations the spread is told.
  static let window = 1000

  private var latest: [Duration] = []
  private var place = 0
  private var total = Duration.zero
  private var count = 0

  /// Takes in a duration.
  mutating func add(_ duration: Duration) {
    total += duration
    count += 1
    if latest.count < Self.window {
      latest.append(duration)
    } else {
      latest[place] = duration
      place = (place + 1) % Self.window
    }
  }

  /// How long it took on average; `nil` before the first.
  var mean: Duration? { count > 0 ? total / count : nil }

  /// What so many percent of the latest did not exceed; `nil` before the first.
  func percentile(_ percent: Double) -> Duration? {
    var record = LatencyRecord()
    for duration in latest { record.add(duration) }
    return record.percentile(percent)
  }

  /// The mean, the median and the 95th percentile in milliseconds.
  fileprivate var texts: [String] {
    [mean, percentile(50), percentile(95)].map { $0?.milliseconds.fixed(2) ?? "–" }
  }
}
