internal import TensorIOCore

/// What came of a training, and where it is kept.
struct TrainingSummary {
  let model: String
  let data: String
  let epochs: [EpochRecord]
  /// How many steps were taken.
  let steps: Int
  let duration: Duration
  /// Whether training ended because the loss fell no more.
  let endedEarly: Bool
  /// Whether the bundle has inputs of its own to be run on.
  let hasSamples: Bool
  /// What was written.
  var export: String?
  var checkpoint: String?
  var plot: String?

  /// The summary as people read it, with the next command to try.
  var lines: [String] {
    let seconds = (duration.milliseconds / 1000).fixed(1)
    let end = endedEarly ? ", then the loss fell no more" : ""
    let length = "\(Self.count(epochs.count, "epoch")), \(Self.count(steps, "step"))"
    return ["", "\(length) in \(seconds) s\(end)"]
      + written.map { "wrote \($0)" } + nextLines
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private var written: [String] { [export, checkpoint, plot].compactMap(\.self) }

  private var nextLines: [String] {
    guard let export else { return [] }
    let words = hasSamples ? ["tensorio", "run", export] : ["tensorio", "evaluate", export, data]
    return ["", "try it:", "  " + words.map(\.shellWord).joined(separator: " ")]
  }

  /// The summary as scripts read it.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model)
      writer.member("data", data)
      writer.member("steps", steps)
      writer.member("seconds", duration.milliseconds.rounded() / 1000)
      writer.member("ended_early", endedEarly)
      writer.key("epochs")
      writer.array { writer in epochs.forEach { $0.write(to: &writer) } }
      for (name, path) in [("export", export), ("checkpoint", checkpoint), ("plot", plot)] {
        if let path { writer.member(name, path) }
      }
    }
  }
}
