/// Which labels of a classification are shown.
///
///     LabelSelection(count: 5, threshold: 0.1, filter: LabelFilter(deny: ["background"]))
public struct LabelSelection: Sendable, Hashable {
  /// How many; `nil` shows all.
  public var count: Int?
  /// Only scores above this one.
  public var above: Float?
  /// Only scores of at least this one.
  public var threshold: Float?
  /// Only labels that it admits.
  public var filter: LabelFilter

  /// A selection.
  public init(
    count: Int? = nil, above: Float? = nil, threshold: Float? = nil,
    filter: LabelFilter = LabelFilter()
  ) {
    self.count = count
    self.above = above
    self.threshold = threshold
    self.filter = filter
  }

  /// The labels that are shown of a classification, highest first.
  public func entries(of classification: Classification) -> [Classification.Entry] {
    guard threshold != nil || !filter.admitsAll else {
      return classification.top(count ?? .max, above: above)
    }
    let entries = classification.top(above: above).filter { entry in
      (threshold.map { entry.score >= $0 } ?? true) && filter.admits(entry.label)
    }
    return Array(entries.prefix(max(0, count ?? .max)))
  }
}

/// Which labels may be among the results.
public struct LabelFilter: Sendable, Hashable {
  /// Only these; `nil` allows all.
  public var allow: Set<String>?
  /// Not these, even where they are allowed.
  public var deny: Set<String>

  /// A filter, which admits everything unless something is said.
  public init(allow: Set<String>? = nil, deny: Set<String> = []) {
    self.allow = allow
    self.deny = deny
  }

  /// Whether a label may be among the results.
  public func admits(_ label: String) -> Bool {
    (allow?.contains(label) ?? true) && !deny.contains(label)
  }

  var admitsAll: Bool { allow == nil && deny.isEmpty }
}
