package import TensorIOBundle
import TensorIOJSON

/// How the text in which an answer is searched is divided if it is longer than the model takes.
package struct TextWindows: Sendable {
  /// The maximum number of windows of a text.
  static let maxCount = 10_000
  /// The setting of ``overlap``.
  package static let overlapSetting = TaskSetting.count(
    "overlap", default: 128,
    """
    The number of tokens that adjacent sections of a long text share; at most half of a section is shared.
    """
  ).example("64")

  /// The number of tokens of a window, with the question; `nil` for that of the tensor.
  let length: Int?
  /// The number of tokens that a window shares with the window before it.
  let overlap: Int

  /// Reads the windows of a model that answers questions; `nil` for other models.
  init?(of description: ModelDescription) {
    guard description.outputs.contains(where: { $0.role == .startScores }) else { return nil }
    length = description.task?.settings["window"]?.int
    overlap = Self.overlapSetting.value(in: description.task)
  }
}
