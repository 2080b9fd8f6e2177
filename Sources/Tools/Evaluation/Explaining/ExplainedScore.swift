import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// The number of a model's result that is explained.
struct ExplainedScore: Sendable {
  /// What the number is, such as a label.
  let name: String
  /// Returns the number of an output; NaN if it has none.
  let read: @Sendable (ModelOutput) -> Double

  /// Selects the number: the score of a label, the best detection, the similarity of an embedding, or an output.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - output: The output for the item that is explained.
  ///   - target: The label, or the name of an output or `name[index]`; `nil` for the best label.
  /// - Throws: A `ModelError` if the result has no number, or not the target.
  init(_ model: Model, _ output: ModelOutput, target: String?) throws(ModelError) {
    if model.hasResults(as: .boxes) {
      self = try Self.detection(model, output, target)
      return
    }
    if let read = try model.embeddingReading() {
      let base = try read(output).normalized.values
      name = "similarity of the embedding"
      self.read = { output in
        guard let other = try? read(output).normalized.values else { return .nan }
        return zip(base, other).reduce(0) { $0 + Double($1.0) * Double($1.1) }
      }
      return
    }
    for layer in output.layers {
      guard let classification = layer.value.classification else { continue }
      if let target, target != layer.name {
        guard let index = classification.labels.firstIndex(of: target) else { continue }
        self = Self.label(index, of: layer.name, target)
        return
      }
      guard let best = classification.top(1).first else { continue }
      self = Self.label(best.index, of: layer.name, best.label)
      return
    }
    self = try Self.number(output, target)
  }

  private init(_ name: String, _ read: @escaping @Sendable (ModelOutput) -> Double) {
    (self.name, self.read) = (name, read)
  }

  private static func label(_ index: Int, of output: String, _ label: String) -> ExplainedScore {
    ExplainedScore(label) { result in
      guard let scores = (try? result[output])?.classification?.scores,
        scores.indices.contains(index)
      else { return .nan }
      return Double(scores[index])
    }
  }

  /// The score of a detection, times the overlap with it: that of the detection that fits best.
  private static func detection(
    _ model: Model, _ output: ModelOutput, _ target: String?
  ) throws(ModelError) -> ExplainedScore {
    // Detections whose score has fallen below the bundle's minimum still count.
    let read = try ResultReader(model, .boxes).boxes(.results(minimumScore: 0.01)).read
    let found = try read(output).filter { target == nil || $0.label == target }
    guard let best = found.max(by: { $0.score < $1.score }) else {
      let what = target.map { "a detection of '\($0)'" } ?? "a detection"
      throw ModelError(
        .output, .unmetRequirement("explaining requires \(what, as: "result") in the image"))
    }
    return ExplainedScore(best.label) { result in
      guard let detections = try? read(result) else { return .nan }
      return detections.lazy.filter { $0.label == best.label }
        .map { Double($0.score) * $0.box.intersectionOverUnion(best.box) }.max() ?? 0
    }
  }

  /// An element of an output of numbers: the only one, or the one that is named.
  private static func number(
    _ output: ModelOutput, _ target: String?
  ) throws(ModelError) -> ExplainedScore {
    let layers = output.layers.filter { ($0.value.numbers?.count ?? 0) > 0 }
    for layer in layers {
      let count = layer.value.numbers?.count ?? 0
      let isOnly = target == nil && layers.count == 1 && count == 1
      for index in 0..<count {
        let name = count == 1 ? layer.name : "\(layer.name)[\(index)]"
        guard isOnly || name == target else { continue }
        return ExplainedScore(name) { result in
          guard let numbers = (try? result[layer.name])?.numbers, index < numbers.count else {
            return .nan
          }
          return numbers[index]
        }
      }
    }
    guard let target else {
      let first = layers.first.map { "'\($0.name)[0]'" } ?? "a label"
      throw ModelError(
        .output,
        .unmetRequirement(
          "explaining a result that is neither labels, detections, an embedding nor one number requires a target such as \(first, as: "target")"
        ))
    }
    throw ModelError(
      .output, .invalidValue("the result has no label or number '\(target, as: "target")'"))
  }
}
