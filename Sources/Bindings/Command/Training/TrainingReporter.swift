import TensorIOCore
import TensorIOEvaluation
import TensorIOJSON
import TensorIOSystem
import TensorIOTraining

/// Prints the progress and result of a training in the selected format.
struct TrainingReporter: Sendable {
  let format: OutputFormat
  let epochs: Int
  let console: Console

  /// Prints a step.
  func write(_ step: TrainingStep) {
    if format == .ndjson { line { step.write(to: &$0) } }
  }

  /// Prints an epoch.
  func write(_ record: EpochRecord) {
    switch format {
    case .ndjson: line { record.write(to: &$0) }
    case .text: console.printText(text(record))
    case .json, .csv: break
    }
  }

  /// Prints the summary, except in formats that print each step.
  func write(_ summary: TrainingSummary) {
    switch format {
    case .json:
      console.writeJSON { summary.write(to: &$0) }
    case .text: console.printText(summary.lines)
    case .ndjson, .csv: break
    }
  }

  /// Returns the position of a training for the progress line.
  func progressText(for step: TrainingStep) -> String {
    let loss = step.loss.map { ", loss \($0.formatted(decimals: 4))" } ?? ""
    return "epoch \(step.epoch) of \(epochs)\(loss), step "
  }

  private func line(_ write: (inout JSONWriter) -> Void) {
    console.writeJSON(.compact) { write(&$0) }
  }

  private func text(_ record: EpochRecord) -> String {
    let validationMetrics =
      (record.validationLoss.map { [MetricValue("loss", $0)] } ?? []) + record.metrics
    let parts = [
      record.loss.map { "loss \($0.formatted(decimals: 4))" },
      validationMetrics.isEmpty
        ? nil
        : "validation: "
          + validationMetrics.map { "\($0.name) \($0.values[0].formatted(decimals: 4))" }.joined(
            separator: ", "),
    ]
    return "epoch \(record.epoch) of \(epochs): "
      + parts.compactMap(\.self).joined(separator: "; ")
  }
}

extension TrainingStep {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("step", step)
      writer.member("epoch", epoch)
      writer.member("loss", number: loss)
      writer.key("outputs")
      writer.object { writer in
        for layer in outputs.layers {
          writer.key(layer.name)
          writer.value(layer.value)
        }
      }
    }
  }
}

extension EpochRecord {
  /// Writes the epoch as JSON.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("epoch", epoch)
      writer.member("loss", number: loss)
      writer.member("validation_loss", number: validationLoss)
      guard !metrics.isEmpty else { return }
      writer.member(
        "metrics",
        object: { writer in metrics.forEach { writer.member($0.name, number: $0.value) } })
    }
  }
}

extension JSONWriter {
  /// Writes a member with a number or `null`.
  fileprivate mutating func member(_ name: String, number: Double?) {
    key(name)
    if let number { value(number) } else { null() }
  }

  /// Writes the numbers of an output; `null` for outputs without numbers.
  fileprivate mutating func value(_ value: LayerValue) {
    switch value {
    case .numbers(let numbers) where numbers.count == 1: self.value(numbers[0])
    case .numbers(let numbers): self.numbers(numbers.doubles)
    case .list(let values): array { writer in values.forEach { writer.value($0) } }
    case .classification(let classification): self.numbers(classification.scores)
    case .bytes, .strings, .tokens, .image, .audio: null()
    }
  }
}

/// The summary of a completed training.
struct TrainingSummary {
  let model: String
  let data: String
  let epochs: [EpochRecord]
  /// The number of steps in this run.
  let steps: Int
  let duration: Duration
  /// Whether early stopping ended the training.
  let stoppedEarly: Bool
  /// Whether the bundle has examples or samples to run.
  let hasSamples: Bool
  /// The name by which the user started the program.
  let program: ProgramName
  /// The written files.
  var export: String?
  var checkpoint: String?
  var plot: String?

  /// The summary as text, with the next command to try.
  var lines: [String] {
    let seconds = (duration.milliseconds / 1000).formatted(decimals: 1)
    let suffix = stoppedEarly ? ", stopped early" : ""
    let length = "\(Self.count(epochs.count, "epoch")), \(Self.count(steps, "step"))"
    return ["", "\(length) in \(seconds) s\(suffix)"]
      + writtenPaths.map { "wrote \($0)" } + nextCommandLines
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private var writtenPaths: [String] { [export, checkpoint, plot].compactMap(\.self) }

  private var nextCommandLines: [String] {
    guard let export else { return [] }
    let command =
      hasSamples ? ["run", export] : ["evaluate", export, data]
    let words = [program.command] + command.map(\.shellEscaped)
    return ["", "try it:", "  " + words.joined(separator: " ")]
  }

  /// Writes the summary as JSON.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model)
      writer.member("data", data)
      writer.member("steps", steps)
      writer.member("seconds", duration.milliseconds.rounded() / 1000)
      writer.member("stopped_early", stoppedEarly)
      writer.key("epochs")
      writer.array { writer in epochs.forEach { $0.write(to: &writer) } }
      for (name, path) in [("export", export), ("checkpoint", checkpoint), ("plot", plot)] {
        if let path { writer.member(name, path) }
      }
    }
  }
}
