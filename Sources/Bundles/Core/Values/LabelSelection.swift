/// A selection of the labels of a classification.
///
/// ```swift
/// import TensorIO
///
/// let selection = LabelSelection(
///   top: 5, minimumScore: 0.1, filter: LabelFilter(deny: ["background"]))
/// ```
public struct LabelSelection: Sendable, Hashable {
  /// The maximum number of labels; `nil` for all.
  public var top: Int?
  /// A score that labels must exceed.
  public var scoreAbove: Float?
  /// A score that labels must reach.
  public var minimumScore: Float?
  /// The labels that are allowed.
  public var filter: LabelFilter

  /// Creates a selection.
  public init(
    top: Int? = nil, scoreAbove: Float? = nil, minimumScore: Float? = nil,
    filter: LabelFilter = LabelFilter()
  ) {
    self.top = top
    self.scoreAbove = scoreAbove
    self.minimumScore = minimumScore
    self.filter = filter
  }

  /// Returns the selected labels of a classification, highest score first.
  public func entries(of classification: Classification) -> [Classification.Entry] {
    guard minimumScore != nil || !filter.allowsAll else {
      return classification.top(top ?? .max, above: scoreAbove)
    }
    let entries = classification.top(above: scoreAbove).filter { entry in
      (minimumScore.map { entry.score >= $0 } ?? true) && filter.allows(entry.label)
    }
    return Array(entries.prefix(max(0, top ?? .max)))
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
