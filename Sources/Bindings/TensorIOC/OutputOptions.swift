import TensorIOCore
import TensorIOJSON
import TensorIOTasks

/// The options for the JSON of a result.
struct OutputOptions {
  private(set) var resultOptions = ResultOptions()
  /// The name of the input to report.
  private(set) var input = "input"

  /// Parses a JSON object; `nil` selects the defaults, and unknown options are ignored.
  init(_ text: String?) {
    guard let text, let document = try? JSONDocument(parsing: Array(text.utf8)),
      let members = document.root.members
    else { return }
    for member in members {
      switch member.name {
      case "top": resultOptions.top = member.value.int.map { Int(clamping: $0) }
      case "min_score": resultOptions.minimumScore = member.value.float
      case "score_above": resultOptions.scoreAbove = member.value.float
      case "input": input = member.value.string ?? input
      default: break
      }
    }
  }
}
