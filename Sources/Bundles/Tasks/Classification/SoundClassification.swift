public import TensorIOCore

/// The classes of a sound: overall, and of each of its windows.
package struct SoundClassification: TaskResult, ResultRecord {
  /// The classes of one window.
  package struct Window: Sendable, Hashable {
    /// The beginning, in seconds.
    package let start: Double
    /// The end, in seconds.
    package let end: Double
    /// The selected classes, highest score first.
    package let classes: [Classification.Entry]
  }

  /// The name of the output with the scores.
  package let key: String
  /// The selected classes of the mean scores, highest score first.
  package let classes: [Classification.Entry]
  /// The windows, in order.
  package let windows: [Window]

  /// Creates a classification from the outputs of the windows of a sound.
  package init(
    _ output: ModelOutput, named name: String, _ select: (LayerValue) -> [Classification.Entry]
  ) {
    key = name
    classes = output.layers.first { $0.name == name }.map { select($0.value) } ?? []
    windows = output.windows.map { window in
      Window(
        start: window.start, end: window.end,
        classes: window.layers.first { $0.name == name }.map { select($0.value) } ?? [])
    }
  }

  /// The sections of the sound whose windows have the same best class.
  package var timeline: [LabeledInterval] {
    var intervals: [LabeledInterval] = []
    var count = 0
    for window in windows {
      guard let best = window.classes.first else {
        count = 0
        continue
      }
      guard count > 0, let last = intervals.last, last.index == best.index else {
        var start = window.start
        if let last = intervals.last, last.end > start {
          // Windows with a short hop overlap: each interval gets half of what they share.
          start = (start + last.end) / 2
          intervals[intervals.count - 1] = LabeledInterval(
            start: last.start, end: start, label: last.label, index: last.index, score: last.score)
        }
        count = 1
        intervals.append(
          LabeledInterval(
            start: start, end: window.end, label: best.label, index: best.index,
            score: best.score))
        continue
      }
      let sum = last.score * Float(count) + best.score
      count += 1
      intervals[intervals.count - 1] = LabeledInterval(
        start: last.start, end: window.end, label: last.label, index: last.index,
        score: sum / Float(count))
    }
    return intervals
  }

  package static let members = [Member("classes", \.classes), Member("windows", \.windows)]

  package var textLines: [String] {
    let best = classes.prefix(LabelSelection.defaultShownCount)
    return ["  \(key)"] + best.map { "    \($0.label) \($0.score.formatted(decimals: 4))" }
      + (best.isEmpty ? ["    no label above the threshold"] : [])
      + (windows.count > 1 ? ["  timeline"] + timeline.map(Self.line) : [])
  }

  private static func line(_ interval: LabeledInterval) -> String {
    let range = [interval.start, interval.end].map { $0.formatted(decimals: 2) }
    return "    \(range[0])–\(range[1]) s  \(interval.label)"
      + " \(interval.score.formatted(decimals: 4))"
  }

  package var tableRows: [ResultRow] {
    classes.map {
      ResultRow(output: key, index: "\($0.index)", label: $0.label, value: "\($0.score)")
    }
      + timeline.map {
        ResultRow(
          output: "\(key)/\($0.start)-\($0.end)", index: "\($0.index)", label: $0.label,
          value: "\($0.score)")
      }
  }

  package var summary: String {
    classes.first.map { "\($0.label) \($0.score.formatted(decimals: 4))" } ?? "no label"
  }

  package var overlay: Overlay {
    let entries = classes.prefix(LabelSelection.defaultShownCount).map {
      Overlay.Score(label: $0.label, score: Double($0.score), index: $0.index)
    }
    return Overlay(entries.isEmpty ? [] : [.scores(Array(entries))])
  }
}

extension LabelSelection {
  /// The number of labels that are shown by default.
  package static let defaultShownCount = 5
}

extension SoundClassification.Window: ResultRecord {
  /// The number of classes of a window in a record.
  private static let classCount = 3

  package static let members = [
    Member("start", \.start), Member("end", \.end),
    Member("classes") { Array($0.classes.prefix(classCount)) },
  ]
}

extension Classification.Entry: ResultRecord {
  /// The label and the score.
  public static let members = [
    Member("label", \.label), Member("score", \.score), Member("index", \.index),
  ]
}
