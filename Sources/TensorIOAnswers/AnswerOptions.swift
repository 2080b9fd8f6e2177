package import TensorIOCore
internal import TensorIOTasks

/// What somebody who asks wants of the answers, in place of what the bundle's task says.
package struct AnswerOptions: Sendable {
  /// How many labels or detections.
  package var top: Int?
  /// The score above which labels are shown.
  package var above: Float?
  /// The least score of labels and detections.
  package var threshold: Float?
  /// The share of a surer detection above which another is dropped.
  package var iou: Double?
  /// The only labels that are shown; all, when there are none.
  package var allow: [String] = []
  /// The labels that are left out.
  package var deny: [String] = []
  /// Whether the outputs that a task's answer was made of are wanted as well.
  package var wantsRaw = false

  /// Wants what the bundle's task says.
  package init() {}

  /// Which labels are shown.
  package func labels(_ task: ModelTask?) -> LabelSelection {
    var selection = LabelSelection(task)
    selection.count = top ?? selection.count
    selection.above = above
    selection.threshold = threshold ?? selection.threshold
    change(&selection.filter)
    return selection
  }

  /// Changes which detections are wanted.
  func change(_ options: inout DetectionOptions) {
    options.top = top ?? options.top
    options.threshold = threshold ?? options.threshold
    options.iou = iou ?? options.iou
    change(&options.filter)
  }

  private func change(_ filter: inout LabelFilter) {
    if !allow.isEmpty { filter.allow = Set(allow) }
    filter.deny.formUnion(deny)
  }
}
