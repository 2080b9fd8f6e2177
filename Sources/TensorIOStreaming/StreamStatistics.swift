import TensorIOCore
import TensorIOEvaluation

/// How many frames have come and gone, and how long the work on them took.
package struct StreamStatistics {
  /// How many frames the source has given.
  package var received = 0
  /// How many were answered.
  package private(set) var processed = 0
  /// How many failed.
  private(set) var failed = 0
  private var stages: [(name: String, latency: LatencyWindow)] = []

  package init() {}

  /// How many came too soon, or while there was no time for them.
  var dropped: Int { max(0, received - processed - failed) }

  /// Counts a frame that was answered, with the time that each stage took.
  package mutating func addProcessed(_ durations: [(name: String, duration: Duration)]) {
    processed += 1
    for (name, duration) in durations {
      let place = stages.firstIndex { $0.name == name } ?? stages.endIndex
      if place == stages.endIndex { stages.append((name, LatencyWindow())) }
      stages[place].latency.add(duration)
    }
  }

  /// Counts a frame that failed.
  package mutating func addFailure() { failed += 1 }

  /// How many frames came and went, in a line.
  package var countsText: String {
    "\(received) \(received == 1 ? "frame" : "frames") in, \(processed) out, \(dropped) dropped"
      + (failed > 0 ? ", \(failed) failed" : "")
  }

  /// A table of the stages: mean, median, and what 95 of 100 frames did not exceed.
  package var tableLines: [String] {
    let header = ["ms", "mean", "p50", "p95"]
    let rows = stages.map { [$0.name] + $0.latency.summaryTexts }
    guard !rows.isEmpty else { return [] }
    return TextTable(header, rows).lines
  }

  /// The time of whole frames, in a few words; `nil` before the first.
  package var latencyText: String? {
    guard let whole = stages.last?.latency else { return nil }
    let texts = whole.summaryTexts
    return "mean \(texts[0]), p50 \(texts[1]), p95 \(texts[2]) ms a frame"
  }
}

/// The mean of all durations, and the spread of the latest of them.
///
/// A stream may go on for days, so no more than the latest are kept.
struct LatencyWindow {
  /// Of how many durations the spread is told.
  static let size = 1000

  private var latest: [Duration] = []
  private var nextIndex = 0
  private var total = Duration.zero
  private var count = 0

  /// Takes in a duration.
  mutating func add(_ duration: Duration) {
    total += duration
    count += 1
    if latest.count < Self.size {
      latest.append(duration)
    } else {
      latest[nextIndex] = duration
      nextIndex = (nextIndex + 1) % Self.size
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
  fileprivate var summaryTexts: [String] {
    [mean, percentile(50), percentile(95)].map { $0?.milliseconds.formatted(decimals: 2) ?? "–" }
  }
}
