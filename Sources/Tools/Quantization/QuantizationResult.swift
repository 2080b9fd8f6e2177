import TensorIOBundle
package import TensorIOEvaluation
package import TensorIOJSON

/// What a search for a smaller model tried and found.
public struct QuantizationResult: Sendable {
  /// The candidates, in the order in which they were tried.
  public let candidates: [QuantizationCandidate]
  /// The number of the candidate that passes; `nil` if none does.
  let chosen: Int?
  /// The size of the original model's files in bytes.
  public let originalByteCount: Int
  /// The number of runs from which ranges were learned.
  public let calibrationCount: Int

  /// The candidate that passes; `nil` if none does.
  public var chosenCandidate: QuantizationCandidate? { chosen.map { candidates[$0] } }

  /// The candidate that is closest to passing; `nil` if none could be evaluated.
  public var closest: QuantizationCandidate? {
    candidates.filter { $0.failure == nil }.min { $0.shortfall < $1.shortfall }
  }

  /// Returns the sentence with which the card of the smaller bundle begins.
  func provenance(of bundle: ModelBundle) -> String {
    guard let candidate = chosenCandidate else { return "" }
    let origin =
      "Quantized from the bundle \(bundle.id) (version \(bundle.version)): \(candidate.recipe.rawValue)"
    let kept = candidate.floatLayers.isEmpty ? "" : ", float layers: \(candidate.floatLayerText)"
    let gates = candidate.evaluation?.verdict.outcomes.map(\.sentence) ?? []
    let quality =
      gates.isEmpty ? "" : "; on the data of the search, \(gates.joined(separator: ", "))"
    return origin + kept + quality + "."
  }
}

// MARK: Text

extension QuantizationResult {
  /// Returns the lines of a table with the original and all candidates.
  ///
  /// - Parameter original: The evaluation of the original; `nil` without data.
  /// - Returns: The lines.
  package func lines(_ original: EvaluationResult?) -> [String] {
    let (titles, rows) = table(original)
    return TextTable(titles, rows, leadingTextColumns: 1).lines + failures
  }

  /// Returns what a report shows of the search before the metrics of the candidates: the table, and the layers of the
  /// candidate that passes.
  ///
  /// - Parameter original: The evaluation of the original; `nil` without data.
  /// - Returns: The section.
  package func section(_ original: EvaluationResult?) -> ReportSection {
    let (titles, rows) = table(original)
    let kept = chosenCandidate?.floatLayers ?? []
    let notes = kept.isEmpty ? [] : ["Layers that stayed float: \(kept.joined(separator: ", "))"]
    return ReportSection(title: "Search", notes: notes + failures, columns: titles, rows: rows)
  }

  /// Returns the evaluations of the original and of all candidates that ran, with names for a report.
  ///
  /// - Parameters:
  ///   - original: The evaluation of the original.
  ///   - output: The path of the new bundle; `nil` if there is none.
  /// - Returns: The evaluations.
  package func evaluations(
    _ original: EvaluationResult, output: String?
  ) -> [EvaluationResult] {
    [original]
      + candidates.compactMap { candidate in
        guard var evaluation = candidate.evaluation else { return nil }
        let layers = candidate.floatLayers.isEmpty ? "" : ", float: \(candidate.floatLayerText)"
        evaluation.model.name = candidate.recipe.rawValue + layers
        let isWritten = candidate.number == chosenCandidate?.number && output != nil
        evaluation.model.path = isWritten ? output ?? "" : evaluation.model.name
        return evaluation
      }
  }

  /// Why candidates cannot be used.
  private var failures: [String] {
    candidates.compactMap { candidate in
      candidate.failure.map { "\(candidate.recipe.rawValue): \($0)" }
    }
  }

  private func table(_ original: EvaluationResult?) -> (titles: [String], rows: [[String]]) {
    let names = metricNames(original)
    let titles = ["recipe", "float layers", "bytes", "size"] + names + ["gates"]
    var rows = [
      ["original", "", "\(originalByteCount)", ""] + names.map { cell($0, original) } + [""]
    ]
    for candidate in candidates {
      let ratio = candidate.byteCount.map {
        "\((1000 * Double($0) / Double(max(1, originalByteCount))).rounded() / 10) %"
      }
      let layers = candidate.floatLayerText
      let verdict = candidate.failure == nil ? (candidate.passes ? "pass" : "fail") : "error"
      rows.append(
        [
          candidate.recipe.rawValue, layers, candidate.byteCount.map(String.init) ?? "",
          ratio ?? "",
        ]
          + names.map { cell($0, candidate.evaluation) } + [verdict])
    }
    return (titles, rows)
  }

  /// The names of the metrics of the gates, or of the first metric, and the median latency.
  private func metricNames(_ original: EvaluationResult?) -> [String] {
    let gated = candidates.compactMap(\.evaluation).first?.verdict.outcomes.map(\.metric.name) ?? []
    let names = gated.isEmpty ? original?.metrics.prefix(1).map(\.name) ?? [] : gated
    let all = names + (original == nil ? [] : ["latency_p50"])
    return all.enumerated().filter { all.firstIndex(of: $1) == $0 }.map(\.element)
  }

  private func cell(_ name: String, _ result: EvaluationResult?) -> String {
    guard let metric = result?.gatedMetrics[name] else { return "" }
    return metric.formatted
  }
}

// MARK: JSON

extension QuantizationResult {
  /// Writes the result as members of an object.
  ///
  /// - Parameters:
  ///   - original: The evaluation of the original; `nil` without data.
  ///   - output: The path of the new bundle; `nil` if there is none.
  ///   - writer: The writer.
  package func write(
    _ original: EvaluationResult?, output: String?, to writer: inout JSONWriter
  ) {
    if let output { writer.member("bundle", output) }
    writer.member("calibration_runs", calibrationCount)
    writer.member(
      "original",
      object: { writer in
        writer.member("bytes", originalByteCount)
        original?.writeMetrics(to: &writer)
      })
    if let chosen { writer.member("chosen", chosen) }
    writer.member("candidates", objects: candidates) { $1.write(to: &$0) }
  }
}

extension QuantizationCandidate {
  /// The number of float layers; empty if there are none.
  package var floatLayerText: String {
    guard !floatLayers.isEmpty else { return "" }
    return "\(floatLayers.count)" + (hasCompactFloatLayers ? ", 8-bit weights" : "")
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("recipe", recipe.rawValue)
    writer.member("float_layers", array: floatLayers) { $0.value($1) }
    if hasCompactFloatLayers { writer.member("float_layers_have_compact_weights", true) }
    if let byteCount { writer.member("bytes", byteCount) }
    writer.member("passes", passes)
    if let failure { writer.member("error", failure) }
    evaluation?.writeMetrics(to: &writer)
    guard let evaluation, !evaluation.verdict.outcomes.isEmpty else { return }
    writer.member("gates", objects: evaluation.verdict.outcomes) { writer, outcome in
      writer.member("gate", "\(outcome.gate)")
      writer.member("passes", outcome.passes)
      writer.member("limit", outcome.limit)
    }
  }
}

extension EvaluationResult {
  fileprivate func writeMetrics(to writer: inout JSONWriter) {
    writer.member(
      "metrics",
      object: { writer in
        for metric in metrics + performance.metrics {
          writer.member(
            metric.name,
            object: { writer in
              if let value = metric.value { writer.member("value", value) }
              guard let interval = metric.interval else { return }
              writer.member("low", interval.low)
              writer.member("high", interval.high)
            })
        }
      })
  }
}
