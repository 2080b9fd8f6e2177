internal import TensorIOCore
internal import TensorIOTasks

/// What examples must give, and by what a bundle's modes are judged.
///
/// A bundle's own `eval` mode says itself how good it is. Predictions are judged where they can be
/// compared with what the data says.
struct ExamplePlan {
  /// What every example must have.
  private(set) var layers: [Layer] = []
  /// What the indexes of labels mean.
  let labels: [String]
  /// How the modes are judged, the one that is timed last.
  private(set) var parts: [EvaluationPlan.Part] = []

  init(_ bundle: ModelBundle) throws(ModelError) {
    let description = bundle.description
    labels = try bundle.dataLabels()
    if description.modes.contains(.evaluate) { addOwn(description.inMode(.evaluate)) }
    if description.modes.contains(.predict) {
      if description.task?.type == "embedding" {
        addEmbeddings(description)
      } else {
        try addPredictions(bundle)
      }
    }
    guard !parts.isEmpty else {
      let what = "evaluating a bundle with neither an eval mode nor labels or numbers that come out"
      throw ModelError(.bundle, .unsupported(what), file: bundle.path)
    }
  }

  private mutating func addOwn(_ description: ModelDescription) {
    let outputs = description.outputs.map(\.name)
    add(.evaluate, description.inputs) { _ in MeanJudge(outputs: outputs) }
  }

  private mutating func addEmbeddings(_ description: ModelDescription) {
    let labels = labels
    add(.predict, description.inMode(.predict).inputs, truths: [.usualLabel]) {
      (model) throws(ModelError) in
      VerificationJudge(
        try EmbeddingReader(model), labels: labels,
        truth: LabelTruth.value(EvaluationPlan.usualLabel))
    }
  }

  private mutating func addPredictions(_ bundle: ModelBundle) throws(ModelError) {
    let predicting = bundle.description.inMode(.predict)
    let truth = truth(of: bundle.description)
    if let output = predicting.outputs.first(where: { $0.labels != nil }) {
      guard let truth = truth ?? (parts.isEmpty ? .usualLabel : nil) else { return }
      let labels = try bundle.labels(for: output)
      add(.predict, predicting.inputs, truths: [truth]) { _ in
        LabelJudge(output: output.name, labels: labels, truth: LabelTruth.value(truth.name))
      }
    } else if parts.isEmpty, !predicting.outputs.isEmpty,
      predicting.outputs.allSatisfy(\.isNumeric)
    {
      let outputs = predicting.outputs
      let truths = outputs.count == 1 ? [truth ?? outputs[0].asTruth] : outputs.map(\.asTruth)
      let pairs = zip(outputs, truths).map { (output: $0.name, truth: $1.name) }
      add(.predict, predicting.inputs, truths: truths) { _ in NumberJudge(pairs) }
    }
  }

  private mutating func add(
    _ mode: ModelMode, _ inputs: [Layer], truths: [Layer] = [],
    _ judge: @escaping @Sendable (Model) throws(ModelError) -> any Judge
  ) {
    if parts.isEmpty { layers = inputs + truths }
    parts.append(EvaluationPlan.Part(mode: mode, inputs: Set(inputs.map(\.name)), judge: judge))
  }

  /// Where the data has the right answer, as far as the bundle says: in the one value that training
  /// or evaluating takes besides.
  private func truth(of description: ModelDescription) -> Layer? {
    let inputs = Set(description.inMode(.predict).inputs.map(\.name))
    for mode in [ModelMode.evaluate, .train] where description.modes.contains(mode) {
      let layers = description.inMode(mode).inputs
      let others = layers.filter { !inputs.contains($0.name) }
      if others.count == 1, layers.count == inputs.count + 1 { return others[0] }
    }
    return nil
  }
}

extension Layer {
  fileprivate static let usualLabel = Layer(
    name: EvaluationPlan.usualLabel,
    kind: .scalar(NumericLayer(shape: [1], elementType: .int64)))

  /// What the data says that should come out, in numbers as they are.
  fileprivate var asTruth: Layer {
    Layer(name: name, kind: .array(NumericLayer(shape: shape)))
  }

  /// Whether it holds numbers.
  fileprivate var isNumeric: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string: false
    }
  }
}
