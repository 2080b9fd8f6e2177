import TensorIOBundle
import TensorIOImage
import TensorIOJSON

extension ClassificationTask {
  /// Recognizes classifiers of texts and images, and those that score pairs of texts, by the folder that they were published
  /// in.
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    if let guess = guessOrientation(evidence) { return guess }
    guard let hub = evidence.hub, isClassifier(hub, evidence),
      let (index, layer) = evidence.output(named: TaskGuess.Evidence.logitsName),
      layer.shape.dimensions.count <= 2
    else { return nil }
    let count = layer.shape.dimensions.last.flatMap(\.self) ?? hub.labelCount
    guard let count, count > 0 else { return nil }
    let isSingle = count == 1
    // A single score has no label; a role lets programs read it.
    var guess = TaskGuess(
      format.names[0], roles: isSingle ? [index: .scores] : [:],
      labeledOutput: isSingle ? nil : index, confidence: .certain)
    guess.shapes[index] = TensorShape(layer.shape.dimensions.dropLast() + [count])
    guess.areSettingsStated = true
    guess.addActivation(
      hub, count,
      isLogits: hub.timm != nil || evidence.description.outputs[index].name.contains("logit"))
    return guess
  }

  /// Recognizes PaddleOCR's classifiers of lines that are upside down.
  private static func guessOrientation(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
    guard evidence.isNamed("cls"), let sides = evidence.planarSides, sides.width == nil,
      evidence.labelCount == nil, let (index, layer) = evidence.outputs.first,
      evidence.outputs.count == 1, case .array(let numeric) = layer.kind,
      numeric.shape.dimensions.count == 2, numeric.shape.dimensions[1] == 2
    else { return nil }
    var guess = TaskGuess(
      format.names[0], roles: [:], labeledOutput: index, confidence: .likely,
      reviewNote: "inferred from the name of the file, two classes and an image of any width")
    guess.labels = ["0", "180"]
    var rule = ImageSides()
    (rule.minimum, rule.maximum) = (192, 192)
    guess.image = .paddleOCR(height: sides.height ?? 48, rule)
    return guess
  }

  private static func isClassifier(_ hub: HubFolder, _ evidence: TaskGuess.Evidence) -> Bool {
    guard let head = hub.head else {
      return hub.architecture == nil && hub.labelCount != nil
        && evidence.description.caches.isEmpty
    }
    return heads.contains(head)
  }

  /// The heads of classifiers, in the names of Transformers.
  private static let heads: Set = [
    "SequenceClassification", "ImageClassification", "AudioClassification",
    "ImageClassificationWithTeacher",
  ]
}

extension TaskGuess {
  /// Adds the function for the scores of a classifier.
  fileprivate mutating func addActivation(_ hub: HubFolder, _ count: Int, isLogits: Bool) {
    let key = ClassifierActivation.setting.key
    let activation = ClassifierActivation(hub, labelCount: count)
    guard activation != .none else { return }
    guard isLogits else {
      return omissions.append(
        (
          key, "none",
          "the folder states \(activation.rawValue), but the output is not named logits: the model may apply it itself"
        ))
    }
    settings[key] = .string(activation.rawValue)
  }
}

extension ClassifierActivation {
  /// Reads the function that Transformers and Sentence Transformers apply to the scores of a classifier.
  fileprivate init(_ hub: HubFolder, labelCount: Int) {
    let stated = [
      hub[.config, "sentence_transformers", "activation_fn"],
      hub[.config, "sbert_ce_default_activation_function"],
    ].compactMap { $0?.string?.split(separator: ".").last }.first
    switch (stated, hub[.config, "problem_type"]?.string) {
    case ("Identity", _), (nil, "regression"): self = .none
    case ("Sigmoid", _), (nil, "multi_label_classification"): self = .sigmoid
    case (_, "single_label_classification"): self = .softmax
    default: self = labelCount == 1 ? .sigmoid : .softmax
    }
  }
}
