internal import TensorIOCore

/// Tells of a training as it goes on, in the format that the user wants.
struct TrainingReporter {
  let format: OutputFormat
  let epochs: Int
  let console: Console

  /// Tells of a step.
  func write(_ record: StepRecord) {
    if format == .ndjson { line { record.write(to: &$0) } }
  }

  /// Tells of an epoch.
  func write(_ record: EpochRecord) {
    switch format {
    case .ndjson: line { record.write(to: &$0) }
    case .text: console.print(text(record))
    case .json, .csv: break
    }
  }

  /// Tells of the whole, where that is one document.
  func write(_ summary: TrainingSummary) {
    switch format {
    case .json:
      var writer = JSONWriter(.indented)
      summary.write(to: &writer)
      console.output(writer.bytes + Array("\n".utf8))
    case .text: summary.lines.forEach { console.print($0.printable) }
    case .ndjson, .csv: break
    }
  }

  private func line(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(.compact)
    write(&writer)
    console.output(writer.bytes + Array("\n".utf8))
  }

  private func text(_ record: EpochRecord) -> String {
    let loss = record.loss.map { ["loss \($0.fixed(4))"] } ?? []
    let validation = record.validation.compactMap { metric in
      metric.values.count == 1 ? "\(metric.name) \(metric.values[0].fixed(4))" : nil
    }
    let held = validation.isEmpty ? "" : "   held out: \(validation.joined(separator: ", "))"
    return "epoch \(record.epoch) of \(epochs): \(loss.joined())\(held)".printable
  }
}

extension StepRecord {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("step", step)
      writer.member("epoch", epoch)
      writer.member("loss", number: loss)
      writer.key("outputs")
      writer.object { writer in
        for layer in outputs.layers { write(layer, to: &writer) }
      }
    }
  }

  private func write(_ layer: ModelOutput.Layer, to writer: inout JSONWriter) {
    guard case .numbers(let numbers) = layer.value else { return }
    writer.key(layer.name)
    if numbers.count == 1 { writer.value(numbers[0]) } else { writer.numbers(numbers.doubles) }
  }
}

extension EpochRecord {
  /// The epoch as scripts read it: both losses, and whatever else the model says of what was held
  /// out.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("epoch", epoch)
      writer.member("loss", number: loss)
      writer.member("validation", number: validationLoss)
      let others = validation.filter { !$0.name.isLossName && $0.values.count == 1 }
      guard !others.isEmpty else { return }
      writer.key("metrics")
      writer.object { writer in
        for metric in others { writer.member(metric.name, metric.values[0]) }
      }
    }
  }
}

extension JSONWriter {
  /// A member that may have no value.
  fileprivate mutating func member(_ name: String, number: Double?) {
    key(name)
    if let number { value(number) } else { null() }
  }
}
