import TensorIOBundle
import TensorIOJSON

/// How the text in which an answer is searched is divided if it is longer than the model takes.
struct TextWindows: Sendable {
  /// The maximum number of windows of a text.
  static let maxCount = 10_000
  private static let defaultOverlap = 128

  /// The number of tokens of a window, with the question; `nil` for that of the tensor.
  let length: Int?
  /// The number of tokens that a window shares with the window before it.
  let overlap: Int

  /// Reads the windows of a model that answers questions; `nil` for other models.
  init?(of description: ModelDescription) {
    guard description.outputs.contains(where: { $0.role == .startScores }) else { return nil }
    length = Self.setting("window", of: description)
    overlap = Self.setting("overlap", of: description) ?? Self.defaultOverlap
  }

  private static func setting(_ key: String, of description: ModelDescription) -> Int? {
    description.task?.settings[key]?.int
  }
}
