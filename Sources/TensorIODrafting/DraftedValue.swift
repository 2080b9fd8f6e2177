package import TensorIOJSON

/// One value of a drafted description, and where it comes from.
package struct DraftedValue: Sendable, Equatable {
  /// What says what a value is.
  package enum Source: String, Sendable, CaseIterable {
    /// The model's own tensors.
    case tensors
    /// What the model says of itself beyond its tensors.
    case metadata
    /// A file that is packed in the model.
    case embedded
    /// The labels file that the user gave.
    case labels
    /// The `tflite_metadata.json` that the user gave.
    case exporter
    /// The command line.
    case arguments
    /// Nothing but what models usually are.
    case heuristic
  }

  /// Where in the description it stands, as a JSON Pointer.
  let path: String
  /// What was decided.
  let value: String
  let source: Source
  /// Why somebody should check it; `nil` when nobody needs to.
  var reviewNote: String?
}

/// What `tensorio init` says of a bundle that it has made.
package struct DraftReport {
  package let bundle: String
  package let values: [DraftedValue]
  package let exampleCommand: String

  package init(
    bundle: String, values: [DraftedValue], exampleCommand: String
  ) {
    self.bundle = bundle
    self.values = values
    self.exampleCommand = exampleCommand
  }

  private var valuesToReview: [DraftedValue] { values.filter { $0.reviewNote != nil } }

  /// The report as people read it.
  package var lines: [String] {
    let width = values.map(\.path.count).max() ?? 0
    let groups = DraftedValue.Source.allCases.flatMap { source -> [String] in
      let own = values.filter { $0.source == source }
      return own.isEmpty ? [] : ["", source.heading] + own.map { "  " + row($0, width) }
    }
    return [bundle] + groups + reviewLines + ["", "try: \(exampleCommand)"]
  }

  private func row(_ finding: DraftedValue, _ width: Int) -> String {
    let padding = String(repeating: " ", count: width - finding.path.count + 2)
    return finding.path + padding + finding.value
  }

  private var reviewLines: [String] {
    guard !valuesToReview.isEmpty else { return ["", "Nothing has to be checked."] }
    return ["", "Please check:"]
      + valuesToReview.map { "  \($0.path): \($0.value) (\($0.reviewNote ?? ""))" }
  }

  /// Writes the report for a script.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("bundle", bundle)
      writer.member(
        "values",
        array: { writer in
          for finding in values { writer.object { Self.write(finding, to: &$0) } }
        })
    }
  }

  private static func write(_ finding: DraftedValue, to writer: inout JSONWriter) {
    writer.member("path", finding.path)
    writer.member("value", finding.value)
    writer.member("source", finding.source.rawValue)
    writer.key("check")
    if let doubt = finding.reviewNote { writer.value(doubt) } else { writer.null() }
  }
}

extension DraftedValue.Source {
  /// The words above what comes from there.
  fileprivate var heading: String {
    switch self {
    case .tensors: "From the model's tensors:"
    case .metadata: "From the model's own metadata:"
    case .embedded: "From a file packed in the model:"
    case .labels: "From the labels file:"
    case .exporter: "From the exporter's metadata:"
    case .arguments: "From the command line:"
    case .heuristic: "As models usually are:"
    }
  }
}
