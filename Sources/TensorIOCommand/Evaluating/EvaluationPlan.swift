internal import TensorIO
internal import TensorIOCore
internal import TensorIOData

/// What the data must give, and by what a bundle's modes are judged.
struct EvaluationPlan {
  /// One mode of a model, and its judge.
  struct Part {
    let mode: ModelMode
    let inputs: [Layer]
    let judge: any Judge
  }

  /// What the labels of the data are called when the bundle does not say.
  static let usualLabel = "label"

  /// What every example must have.
  private(set) var layers: [Layer]
  /// What the indexes of labels mean.
  let labels: [String]
  /// How the modes are judged, the one that is timed last.
  private(set) var parts: [Part]

  /// The plan for a bundle: its own `eval` mode where it has one, and its predictions where they
  /// can be compared with what the data says.
  init(_ bundle: ModelBundle) throws(ModelError) {
    let description = bundle.description
    labels = try bundle.dataLabels()
    layers = []
    parts = []
    if description.modes.contains(.evaluate) {
      layers = description.inMode(.evaluate).inputs
      parts = [Part(mode: .evaluate, inputs: layers, judge: MeanJudge())]
    }
    addPredictions(description)
    guard !parts.isEmpty else {
      let what = "evaluating a bundle with neither an eval mode nor labels or numbers that come out"
      throw ModelError(.bundle, .unsupported(what), file: bundle.path)
    }
  }

  private mutating func addPredictions(_ description: ModelDescription) {
    guard description.modes.contains(.predict) else { return }
    let predicting = description.inMode(.predict)
    let truth = truth(of: description)
    if let output = predicting.outputs.first(where: { $0.labels != nil }) {
      guard let truth = truth ?? (parts.isEmpty ? .usualLabel : nil) else { return }
      let judge = LabelJudge(output: output.name, truth: truth.name)
      add(judge, of: predicting, truths: [truth])
    } else if parts.isEmpty, !predicting.outputs.isEmpty,
      predicting.outputs.allSatisfy(\.isNumeric)
    {
      let outputs = predicting.outputs
      let truths = outputs.count == 1 ? [truth ?? outputs[0].asTruth] : outputs.map(\.asTruth)
      let pairs = zip(outputs, truths).map { (output: $0.name, truth: $1.name) }
      add(NumberJudge(pairs), of: predicting, truths: truths)
    }
  }

  private mutating func add(
    _ judge: any Judge, of predicting: ModelDescription, truths: [Layer]
  ) {
    if parts.isEmpty { layers = predicting.inputs + truths }
    parts.append(Part(mode: .predict, inputs: predicting.inputs, judge: judge))
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

extension ModelBundle {
  /// The labels that data for the bundle may name: those of what comes out of predictions, or else
  /// of what any of its modes takes or gives.
  func dataLabels() throws(ModelError) -> [String] {
    let modes = [ModelMode.predict, .train, .evaluate].map(description.inMode)
    let layers = modes.flatMap(\.outputs) + modes.flatMap(\.inputs)
    guard let layer = layers.first(where: { $0.labels != nil }) else { return [] }
    return try labels(for: layer)
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
}
