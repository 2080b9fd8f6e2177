import TensorIOCore
package import TensorIOTasks

/// A part of a text or of a sound that a result describes.
package struct FoundSection: Sendable, Hashable {
  /// What it is; may be empty.
  package var label: String
  /// The start: an offset in UTF-8, or a time in seconds.
  package var start: Double
  /// The end.
  package var end: Double
  /// The text of the section; `nil` if the result does not have it.
  package var text: String?

  /// Creates a section.
  package init(label: String, start: Double, end: Double, text: String? = nil) {
    (self.label, self.start, self.end, self.text) = (label, start, end, text)
  }
}

extension ResultColumn {
  /// The sections that the entries describe, whatever the task is: records with a start and an end, or with a time.
  package var foundSections: [FoundSection] {
    switch self {
    case .lists(_, of: let entries), .optionals(_, of: let entries): return entries.foundSections
    case .records(let members):
      let columns = Dictionary(
        members.map { ($0.name, $0.column) }, uniquingKeysWith: { first, _ in first })
      guard let starts = (columns["start"] ?? columns["time"])?.doubles else {
        return members.flatMap(\.column.foundSections)
      }
      let ends = columns["end"]?.doubles ?? starts
      let texts = columns["text"]?.optionalTexts
      let labels =
        columns["label"]?.optionalTexts ?? members.lazy.compactMap(\.column.bestLabels).first
      return starts.indices.map { index in
        FoundSection(
          label: labels?[index] ?? "", start: starts[index], end: ends[index], text: texts?[index])
      }
    case .numbers, .texts, .images: return []
    }
  }

  private var doubles: [Double]? {
    guard case .numbers(let numbers) = self else { return nil }
    return numbers.doubles
  }

  private var optionalTexts: [String?]? {
    guard case .texts(let texts) = self else { return nil }
    return texts
  }

  /// The label of the first record of each list, which is the best one.
  private var bestLabels: [String?]? {
    guard case .lists(let ends, of: .records(let members)) = self,
      let labels = members.first(where: { $0.name == "label" })?.column.optionalTexts
    else { return nil }
    return ends.indices.map { index in
      let start = index == 0 ? 0 : ends[index - 1]
      return start < ends[index] ? labels[start] : nil
    }
  }
}
