import TensorIOBundle

extension TokenClassificationTask {
  /// Recognizes models that label tokens by the folder that they were published in.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard let hub = evidence.hub, hub.head == "TokenClassification",
      evidence.description.inputs.contains(where: \.isText),
      let (index, layer) = evidence.output(named: TaskGuess.Evidence.logitsName),
      layer.shape.dimensions.count == 3,
      let count = layer.shape.dimensions[2] ?? hub.labelCount
    else { return nil }
    var guess = TaskGuess(
      format.names[0], roles: [index: .tokenScores], labeledOutput: index, confidence: .certain)
    guess.shapes[index] = TensorShape(layer.shape.dimensions.dropLast() + [count])
    return guess
  }
}
