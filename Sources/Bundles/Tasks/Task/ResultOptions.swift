package import TensorIOBundle
package import TensorIOCore

/// Options that override the settings of the bundle's task.
package struct ResultOptions: Sendable {
  /// The maximum number of labels or detections.
  package var top: Int?
  /// The score that labels must exceed.
  package var above: Float?
  /// The minimum score of labels and detections.
  package var threshold: Float?
  /// The maximum intersection over union of detections.
  package var iouThreshold: Double?
  /// The only labels to return; empty for all.
  package var allow: [String] = []
  /// The labels to exclude.
  package var deny: [String] = []
  /// Whether the raw outputs are included.
  package var includesRawOutputs = false
  /// The objects of a stream to follow and count; `nil` for none.
  package var tracking: TrackingRequest?

  /// Creates options that override nothing.
  package init() {}

  /// Returns the label selection of a task with these options applied.
  package func labelSelection(for task: ModelTask?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.maxCount = top ?? selection.maxCount
    selection.exclusiveThreshold = above
    selection.threshold = threshold ?? selection.threshold
    apply(to: &selection.filter)
    return selection
  }

  /// Applies the options to detection options.
  func apply(to options: inout DetectionOptions) {
    options.top = top ?? options.top
    options.threshold = threshold ?? options.threshold
    options.iouThreshold = iouThreshold ?? options.iouThreshold
    apply(to: &options.filter)
  }

  func apply(to filter: inout LabelFilter) {
    if !allow.isEmpty { filter.allow = Set(allow) }
    filter.deny.formUnion(deny)
  }
}
