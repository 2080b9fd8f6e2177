/// Which labels of a classification are shown.
///
///     LabelSelection(count: 5, threshold: 0.1, filter: LabelFilter(deny: ["background"]))
public struct LabelSelection: Sendable, Hashable {
  /// How many; `nil` shows all.
  public var maxCount: Int?
  /// Only scores above this one.
  public var exclusiveThreshold: Float?
  /// Only scores of at least this one.
  public var threshold: Float?
  /// Only labels that it admits.
  public var filter: LabelFilter

  /// A selection.
  public init(
    maxCount: Int? = nil, exclusiveThreshold: Float? = nil, threshold: Float? = nil,
    filter: LabelFilter = LabelFilter()
  ) {
    self.maxCount = maxCount
    self.exclusiveThreshold = exclusiveThreshold
    self.threshold = threshold
    self.filter = filter
  }

  /// The labels that are shown of a classification, highest first.
  public func entries(of classification: Classification) -> [Classification.Entry] {
    guard threshold != nil || !filter.allowsAll else {
      return classification.top(maxCount ?? .max, above: exclusiveThreshold)
    }
    let entries = classification.top(above: exclusiveThreshold).filter { entry in
      (threshold.map { entry.score >= $0 } ?? true) && filter.allows(entry.label)
    }
    return Array(entries.prefix(max(0, maxCount ?? .max)))
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
  public func allows(_ label: String) -> Bool {
    (allow?.contains(label) ?? true) && !deny.contains(label)
  }

  var allowsAll: Bool { allow == nil && deny.isEmpty }
}
