package import TensorIOJSON
import TensorIOTasks

/// A value of a drafted description and its source.
package struct DraftedValue: Sendable, Equatable {
  /// The source of a value.
  package enum Source: String, Sendable, CaseIterable {
    /// The model's own tensors.
    case tensors
    /// The model's embedded metadata.
    case metadata
    /// A file embedded in the model.
    case embedded
    /// A file of the folder that the model was published in.
    case folder
    /// The labels file given by the user.
    case labels
    /// The `tflite_metadata.json` given by the user.
    case exporter
    /// A command-line argument.
    case arguments
    /// A trial on labeled images.
    case measurement
    /// A default that fits most models.
    case heuristic
  }

  /// The location in the description, as a JSON Pointer.
  package private(set) var path: String
  /// The drafted value.
  package let value: String
  let source: Source
  /// The reason to review the value; `nil` if it needs no review.
  var reviewNote: String?

  /// How sure the value is, if it was recognized by several signs.
  var confidence: TaskGuess.Confidence?

  /// The value with the reason to review it; `nil` if it needs no review.
  package var review: String? { reviewReason.map { "\(path) is \(value): \($0)" } }

  /// Returns the value of a part of a chain.
  package func prefixed(by prefix: String) -> DraftedValue {
    var value = self
    value.path = prefix + path
    return value
  }

  /// The reason to review the value, with how sure it is; `nil` if it needs no review.
  package var reviewReason: String? {
    reviewNote.map { note in confidence.map { "\($0.rawValue); \(note)" } ?? note }
  }
}

/// The report of a drafted bundle.
package struct DraftReport {
  package let bundle: String
  package let values: [DraftedValue]
  package let exampleCommand: String
  /// The measurements, if preparations of images were tried.
  package var trial: DraftTrial?
  /// Why the bundle could not be run on generated values; `nil` if it could.
  package var failure: String?

  package init(
    bundle: String, values: [DraftedValue], exampleCommand: String, trial: DraftTrial? = nil,
    failure: String? = nil
  ) {
    self.failure = failure
    self.bundle = bundle
    self.values = values
    self.exampleCommand = exampleCommand
    self.trial = trial
  }

  private var valuesToReview: [DraftedValue] { values.filter { $0.reviewNote != nil } }

  /// The lines of the text report.
  package var lines: [String] {
    let width = values.map(\.path.count).max() ?? 0
    let groups = DraftedValue.Source.allCases.flatMap { source -> [String] in
      let own = values.filter { $0.source == source }
      return own.isEmpty ? [] : ["", source.heading] + own.map { "  " + row($0, width) }
    }
    let table = trial.map { [""] + $0.lines } ?? []
    let next =
      failure.map { ["", "This bundle does not run yet: \($0)"] } ?? ["", "try: \(exampleCommand)"]
    return [bundle] + groups + table + reviewLines + next
  }

  private func row(_ value: DraftedValue, _ width: Int) -> String {
    value.path.padded(to: width + 2) + value.value
  }

  private var reviewLines: [String] {
    guard !valuesToReview.isEmpty else { return ["", "No values need review."] }
    return ["", "Review:"]
      + valuesToReview.map { "  \($0.path): \($0.value) (\($0.reviewReason ?? ""))" }
  }

  /// Writes the report as a JSON object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("bundle", bundle)
      writer.member("values", objects: values) { Self.write($1, to: &$0) }
      if let trial {
        writer.key("trial")
        trial.write(to: &writer)
      }
      if let failure { writer.member("failure", failure) }
    }
  }

  private static func write(_ value: DraftedValue, to writer: inout JSONWriter) {
    writer.member("path", value.path)
    writer.member("value", value.value)
    writer.member("source", value.source.rawValue)
    if let confidence = value.confidence { writer.member("confidence", confidence.rawValue) }
    writer.key("review")
    if let note = value.reviewNote { writer.value(note) } else { writer.null() }
  }
}

extension DraftedValue.Source {
  /// The heading of the values from this source.
  fileprivate var heading: String {
    switch self {
    case .tensors: "From the model's tensors:"
    case .metadata: "From the model's metadata:"
    case .embedded: "From a file embedded in the model:"
    case .folder: "From the folder of the model:"
    case .labels: "From the labels file:"
    case .exporter: "From the exporter's metadata:"
    case .arguments: "From the command line:"
    case .measurement: "Measured on the labeled images:"
    case .heuristic: "Defaults:"
    }
  }
}

extension String {
  /// The text followed by spaces up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
