internal import TensorIOCore

/// What `tensorio init` says of a bundle that it has made.
struct DraftReport {
  let bundle: String
  let findings: [DraftFinding]
  let sample: String

  private var doubtful: [DraftFinding] { findings.filter { $0.doubt != nil } }

  /// The report as people read it.
  var lines: [String] {
    let width = findings.map(\.path.count).max() ?? 0
    let groups = DraftFinding.Source.allCases.flatMap { source -> [String] in
      let own = findings.filter { $0.source == source }
      return own.isEmpty ? [] : ["", source.heading] + own.map { "  " + row($0, width) }
    }
    return [bundle] + groups + doubts + ["", "try: \(sample)"]
  }

  private func row(_ finding: DraftFinding, _ width: Int) -> String {
    let padding = String(repeating: " ", count: width - finding.path.count + 2)
    return finding.path + padding + finding.value
  }

  private var doubts: [String] {
    guard !doubtful.isEmpty else { return ["", "Nothing has to be checked."] }
    return ["", "Please check:"]
      + doubtful.map { "  \($0.path): \($0.value) (\($0.doubt ?? ""))" }
  }

  /// Writes the report for a script.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("bundle", bundle)
      writer.member(
        "values",
        array: { writer in
          for finding in findings { writer.object { Self.write(finding, to: &$0) } }
        })
    }
  }

  private static func write(_ finding: DraftFinding, to writer: inout JSONWriter) {
    writer.member("path", finding.path)
    writer.member("value", finding.value)
    writer.member("source", finding.source.rawValue)
    writer.key("check")
    if let doubt = finding.doubt { writer.value(doubt) } else { writer.null() }
  }
}

extension DraftFinding.Source {
  /// The words above what comes from there.
  fileprivate var heading: String {
    switch self {
    case .tensors: "From the model's tensors:"
    case .metadata: "From the model's own metadata:"
    case .packed: "From a file packed in the model:"
    case .labels: "From the labels file:"
    case .export: "From the exporter's metadata:"
    case .arguments: "From the command line:"
    case .guess: "As models usually are:"
    }
  }
}
