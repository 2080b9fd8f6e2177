import TensorIOBundle
import TensorIOJSON

extension QuestionAnsweringTask {
  /// Recognizes models that find answers by the folder that they were published in, and the names of their outputs.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    let outputs = evidence.outputs
    guard let hub = evidence.hub, evidence.description.inputs.contains(where: \.isText),
      let start = outputs.first(where: { $0.layer.name == "start_logits" }),
      let end = outputs.first(where: { $0.layer.name == "end_logits" })
    else { return nil }
    var guess = TaskGuess(
      format.names[0], roles: [start.index: .startScores, end.index: .endScores],
      confidence: .certain)
    guess.settings[windowKey] = .integer(
      Int64(min(hub.tokenLimit ?? usualWindow, usualWindow)))
    return guess
  }

  /// The number of tokens of a window in Transformers.
  private static let usualWindow = 384
}
