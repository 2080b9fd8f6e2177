/// A selection of the labels of a classification.
///
/// ```swift
/// import TensorIO
///
/// let selection = LabelSelection(
///   maxCount: 5, threshold: 0.1, filter: LabelFilter(deny: ["background"]))
/// ```
public struct LabelSelection: Sendable, Hashable {
  /// The maximum number of labels; `nil` for all.
  public var maxCount: Int?
  /// A score that labels must exceed.
  public var exclusiveThreshold: Float?
  /// A score that labels must reach.
  public var threshold: Float?
  /// The labels that are allowed.
  public var filter: LabelFilter

  /// Creates a selection.
  public init(
    maxCount: Int? = nil, exclusiveThreshold: Float? = nil, threshold: Float? = nil,
    filter: LabelFilter = LabelFilter()
  ) {
    self.maxCount = maxCount
    self.exclusiveThreshold = exclusiveThreshold
    self.threshold = threshold
    self.filter = filter
  }

  /// Returns the selected labels of a classification, highest score first.
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

/// A filter for labels by name.
public struct LabelFilter: Sendable, Hashable {
  /// The allowed labels; `nil` allows all.
  public var allow: Set<String>?
  /// Labels that are excluded even if they are allowed.
  public var deny: Set<String>

  /// Creates a filter, which allows all labels by default.
  public init(allow: Set<String>? = nil, deny: Set<String> = []) {
    self.allow = allow
    self.deny = deny
  }

  /// Whether a label passes the filter.
  public func allows(_ label: String) -> Bool {
    (allow?.contains(label) ?? true) && !deny.contains(label)
  }

  var allowsAll: Bool { allow == nil && deny.isEmpty }
}
