import TensorIOSystem

/// The function that makes probabilities of the scores of a classifier, such as logits.
package enum ClassifierActivation: String, Sendable, Hashable, CaseIterable {
  /// The scores are the model's own.
  case none
  /// Probabilities of labels that exclude each other, whose sum is 1.
  case softmax
  /// The probability of each label, whatever those of the others are.
  case sigmoid

  /// The setting of the task `classification`.
  package static let setting = TaskSetting.choice(
    "activation", default: ClassifierActivation.none,
    """
    The function that makes probabilities of the model's scores, before their calibration: `softmax` for labels that \
    exclude each other, `sigmoid` for others and for a single score.
    """
  ).example("\"softmax\"")

  /// Returns the probabilities for the scores of one item.
  package func activated(_ scores: [Float]) -> [Float] {
    switch self {
    case .none: return scores
    case .sigmoid: return scores.map { Float(1 / (1 + exp(-Double($0)))) }
    case .softmax:
      // A score that is not a number has no highest one, and makes all probabilities not a number.
      guard let highest = scores.max(), highest.isFinite else { return scores.map { _ in .nan } }
      let powers = scores.map { exp(Double($0 - highest)) }
      let sum = powers.reduce(0, +)
      return powers.map { Float($0 / sum) }
    }
  }
}

extension ModelDescription {
  /// Returns the function for the scores of an output; `none` for outputs that are not the scores of a classification.
  func activation(of output: Layer) -> ClassifierActivation {
    guard let task, let format = task.format, outputs.classScores?.name == output.name else {
      return .none
    }
    return format.activation(task)
  }
}

extension [Layer] {
  /// The output with the scores of a classification: the one with this role, or the first one with labels.
  package var classScores: Layer? {
    first { $0.role == .scores } ?? first { $0.labelsFile != nil }
  }
}
