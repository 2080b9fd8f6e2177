package import TensorIOBundle
package import TensorIOCore

/// Options that override the settings of the bundle's task.
public struct ResultOptions: Sendable {
  /// The maximum number of labels or detections.
  public var top: Int?
  /// The score that labels must exceed.
  public var scoreAbove: Float?
  /// The minimum score of labels and detections.
  public var minimumScore: Float?
  /// The maximum intersection over union of detections.
  public var iouThreshold: Double?
  /// The only labels to return; empty for all.
  public var allow: [String] = []
  /// The labels to exclude.
  public var deny: [String] = []
  /// Whether the raw outputs are included.
  public var includesRawOutputs = false
  /// The objects of a stream to follow and count; `nil` for none.
  public var tracking: TrackingRequest?

  /// Creates options that override nothing.
  public init() {}

  /// Returns the label selection of a task with these options applied.
  package func labelSelection(for task: TaskDescription?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.top = top ?? selection.top
    selection.scoreAbove = scoreAbove
    selection.minimumScore = minimumScore ?? selection.minimumScore
    apply(to: &selection.filter)
    return selection
  }

  /// Applies the options to detection options.
  func apply(to options: inout DetectionOptions) {
    options.top = top ?? options.top
    options.minimumScore = minimumScore ?? options.minimumScore
    options.iouThreshold = iouThreshold ?? options.iouThreshold
    apply(to: &options.filter)
  }

  func apply(to filter: inout LabelFilter) {
    if !allow.isEmpty { filter.allow = Set(allow) }
    filter.deny.formUnion(deny)
  }
}
