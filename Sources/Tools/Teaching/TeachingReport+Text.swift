import TensorIOBundle
import TensorIOEvaluation
package import TensorIOJSON
import TensorIOSystem

extension TeachingReport {
  /// The report as lines for the terminal.
  package var lines: [String] {
    var lines = ["\(classes.count) classes from \(exampleCount) examples"]
    let width = classes.map(\.label.displayWidth).max() ?? 0
    for result in classes {
      let padding = String(repeating: " ", count: width - result.label.displayWidth)
      lines.append(
        "  \(result.label)\(padding)  \(result.correctCount) of \(result.measuredCount) right")
    }
    if let refinement {
      lines.append(
        "held-out accuracy of the refinement \(percent(refinement.before.accuracy)) before, "
          + "\(percent(refinement.after.accuracy)) after epoch \(refinement.bestEpoch) of "
          + "\(refinement.epochCount), on \(refinement.after.exampleCount) examples")
    }
    let interval = accuracy.interval.map { " (\(percent($0.low)) to \(percent($0.high)))" } ?? ""
    lines.append(
      "held-out accuracy \(percent(accuracy.value))\(interval), each of \(foldCount) parts held out once"
    )
    if let unknown {
      lines.append(
        "unknown beyond a distance of \(unknown.maxDistance.rounded(toPlaces: 4)): "
          + "\(percent(unknown.knownRate)) of the classes' own inputs, \(percent(unknown.othersRate)) "
          + (unknown.isMeasuredOnOthers
            ? "of the examples of no class" : "of a class that was not taught"))
    }
    lines += duplicates.map { "duplicate: \($0[0]) is the same as \($0[1])" }
    lines += conflicts.map { "two labels: \($0[0]) is the same as \($0[1])" }
    lines += suspects.map {
      "probably mislabeled: \($0.name) is \($0.suggestion) (\(percent($0.probability))), not \($0.label)"
    }
    lines += skipped.map { "skipped: \($0.name): \($0.error.message)" }
    return lines + warnings.map { "warning: \($0)" }
  }

  private func percent(_ fraction: Double) -> String {
    fraction.isNaN ? "-" : "\((fraction * 100).rounded(toPlaces: 1)) %"
  }

  /// The report as Markdown, for the card of the bundle.
  var card: String {
    let listed = ["  ", "unknown", "held-out"]
    let facts = lines.filter { line in listed.contains(where: line.hasPrefix) }
      .map { "- " + $0.drop { $0 == " " } }
    let source = data.isEmpty ? "" : " on \(data.map { "`\($0)`" }.joined(separator: ", "))"
    let tensor = layer.map { ", at its layer `\($0)`" } ?? ""
    return """
      Taught \(exampleCount) examples of \(classes.count) classes\(source). The backbone is \(backbone)\(tensor); its \
      weights are \(isRefined ? "trained on the classes" : "unchanged").

      \(facts.joined(separator: "\n"))

      Accuracies are those of examples that were held out in turn. The bundle contains the embeddings of the examples.
      """
  }

  /// Whether the backbone was trained on the examples, now or before the bundle was taught again.
  private var isRefined: Bool {
    (refinement?.bestEpoch ?? 0) > 0 || classes.contains { $0.measuredCount < $0.exampleCount }
  }

  /// Writes the members of the report.
  package func write(to writer: inout JSONWriter) {
    writer.member("backbone", backbone)
    if let layer { writer.member("layer", layer) }
    writer.strings("data", data)
    writer.member("examples", exampleCount)
    writer.member("classes", objects: classes) { writer, result in
      writer.member("label", result.label)
      writer.member("examples", result.exampleCount)
      if result.measuredCount != result.exampleCount {
        writer.member("measured", result.measuredCount)
      }
      writer.member("correct", result.correctCount)
    }
    writer.member("accuracy") { writer in
      writer.member("value", accuracy.value)
      if let interval = accuracy.interval {
        writer.member("low", interval.low)
        writer.member("high", interval.high)
      }
    }
    writer.member("confusion", array: { writer in confusion.forEach { writer.numbers($0) } })
    writer.member("folds", foldCount)
    writer.member("log_loss", logLoss)
    writer.member("regularization", regularization)
    writer.member("temperature", temperature)
    if let refinement {
      writer.member("refinement") { writer in refinement.write(to: &writer) }
    }
    if let unknown {
      writer.member("unknown") { writer in
        writer.member("max_distance", unknown.maxDistance)
        writer.member("known_rejected", unknown.knownRate)
        writer.member("others_rejected", unknown.othersRate)
        writer.member("measured_on", unknown.isMeasuredOnOthers ? "examples" : "classes")
      }
    }
    writer.member("duplicates", objects: duplicates) { writer, pair in
      writer.member("name", pair[0])
      writer.member("same_as", pair[1])
    }
    writer.member("conflicts", objects: conflicts) { writer, pair in
      writer.member("name", pair[0])
      writer.member("same_as", pair[1])
    }
    writer.member("mislabeled", objects: suspects) { writer, suspect in
      writer.member("name", suspect.name)
      writer.member("label", suspect.label)
      writer.member("suggestion", suspect.suggestion)
      writer.member("probability", suspect.probability)
    }
    writer.member("skipped", objects: skipped) { writer, example in
      writer.member("name", example.name)
      writer.member("code", example.error.code)
      writer.member("message", example.error.message)
    }
    writer.strings("warnings", warnings)
    writer.member("seconds", duration / .seconds(1))
  }
}

extension BackboneRefinement {
  /// Writes the members of the results.
  package func write(to writer: inout JSONWriter) {
    writer.member("epochs", epochCount)
    writer.member("best_epoch", bestEpoch)
    writer.member("trained", trainedCount)
    writer.member("held_out", after.exampleCount)
    for (name, metrics) in [("before", before), ("after", after)] {
      writer.member(name) { writer in
        writer.member("accuracy", metrics.accuracy)
        writer.member("log_loss", metrics.loss)
      }
    }
  }
}

extension Double {
  fileprivate func rounded(toPlaces places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}
