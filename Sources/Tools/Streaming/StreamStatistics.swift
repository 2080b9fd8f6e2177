import TensorIOCore
import TensorIOEvaluation

/// Counts of a stream's frames, and the latency of each processing stage.
package struct StreamStatistics {
  /// The number of frames received from the source.
  package var received = 0
  /// The number of processed frames.
  package private(set) var processed = 0
  /// The number of failed frames.
  package private(set) var failed = 0
  /// What is counted, in the singular.
  private let unit: String
  private var stages: [(name: String, latency: LatencyWindow)] = []

  package init(unit: String = "frame") { self.unit = unit }

  /// The number of frames skipped because of the rate limit or slow processing.
  var dropped: Int { max(0, received - processed - failed) }

  /// Counts a processed frame, with the duration of each stage.
  package mutating func addProcessed(_ durations: [(name: String, duration: Duration)]) {
    processed += 1
    for (name, duration) in durations {
      let index = stages.firstIndex { $0.name == name } ?? stages.endIndex
      if index == stages.endIndex { stages.append((name, LatencyWindow())) }
      stages[index].latency.add(duration)
    }
  }

  /// Counts a failed frame.
  package mutating func addFailure() { failed += 1 }

  /// The counts, in a line.
  package var countsText: String {
    "\(received) \(received == 1 ? unit : "\(unit)s") in, \(processed) out, \(dropped) dropped"
      + (failed > 0 ? ", \(failed) failed" : "")
  }

  /// A table with the mean, median and 95th percentile of each stage.
  package var tableLines: [String] {
    let header = ["ms", "mean", "p50", "p95"]
    let rows = stages.map { [$0.name] + $0.latency.summaryTexts }
    guard !rows.isEmpty else { return [] }
    return TextTable(header, rows).lines
  }

  /// The total latency of a frame, in a few words; `nil` before the first frame.
  package var latencyText: String? {
    guard let total = stages.last?.latency else { return nil }
    let texts = total.summaryTexts
    return "mean \(texts[0]), p50 \(texts[1]), p95 \(texts[2]) ms per \(unit)"
  }
}

/// The mean of all durations, and percentiles of the latest ones.
///
/// The window bounds memory for streams that run for days.
struct LatencyWindow {
  /// The number of durations in the window.
  static let size = 1000

  private var latest: [Duration] = []
  private var nextIndex = 0
  private var total = Duration.zero
  private var count = 0

  /// Adds a duration.
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

  /// The mean of all durations; `nil` before the first.
  var mean: Duration? { count > 0 ? total / count : nil }

  /// Returns a percentile of the latest durations; `nil` before the first.
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
