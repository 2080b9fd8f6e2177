public import TensorIOBundle
package import TensorIOCore
public import TensorIOData
import TensorIOTasks

/// What a model is judged by: which data it wants, and which of its modes say what.
public struct EvaluationPlan: Sendable {
  /// What the labels of the data are called when the bundle does not say.
  static let defaultLabelName = "label"

  /// One mode of a model, and how what it says is judged.
  struct Part: Sendable {
    let mode: ModelMode
    /// The names of what goes in, of all that the data has.
    let inputs: Set<String>
    let makeEvaluator: @Sendable (Model) throws(ModelError) -> any Evaluator
  }

  /// The bundle to judge.
  public let bundle: ModelBundle
  /// The data to judge it by.
  public internal(set) var data: EvaluationData
  /// How often each item is run unless somebody says otherwise, as a test of the original's has it.
  public private(set) var iterations = 1
  /// The modes, the one that is timed last.
  var parts: [Part]

  /// The plan for a bundle and data at a path, whose kind decides what is judged.
  ///
  /// Data that could be read in several ways is read in the one that the bundle's task wants. Of boxes
  /// with labels that the bundle does not know, `knownLabelsOnly` leaves out those.
  public init(
    _ bundle: ModelBundle, dataAt path: String, knownLabelsOnly: Bool = false
  ) throws(ModelError) {
    self.bundle = bundle
    switch Self.kind(of: path, for: bundle) {
    case .detections:
      data = .detections(
        try DetectionDataset(at: path, labels: bundle.classLabels(), knownLabelsOnly: knownLabelsOnly))
      parts = [Self.detections(bundle)]
    case .masks:
      data = .masks(try SegmentationDataset(at: path, labels: bundle.dataLabels()))
      parts = [try Self.masks(bundle)]
    case .testBundle:
      let test = try TestBundle(at: path)
      data = .testBundle(test)
      parts = try Self.testBundleParts(bundle, test)
      iterations = test.options.iterations
    case .examples:
      let plan = try ExamplePlan(bundle)
      data = .examples(try ExampleDataset(at: path, for: plan.layers, labels: plan.labels))
      parts = plan.parts
    }
  }

  private static func kind(of path: String, for bundle: ModelBundle) -> DatasetKind {
    let kinds = DatasetKind.kinds(of: path)
    let isDetector = bundle.description.task?.type == "detection"
    if kinds.contains(.detections), kinds.contains(.masks) {
      return isDetector ? .detections : .masks
    }
    return kinds.first ?? .examples
  }

  /// Leaves out the items that a filter does not want.
  public mutating func filter(_ filter: DatasetFilter) throws(ModelError) {
    data = try data.filter(filter)
  }

  /// The plan with a metric of the application's own besides.
  public func adding(_ metric: any CustomMetric) -> EvaluationPlan {
    guard let last = parts.last else { return self }
    var plan = self
    plan.parts.append(
      Part(mode: last.mode, inputs: last.inputs) { (_) throws(ModelError) in CustomMetricEvaluator(metric) })
    return plan
  }
}

// MARK: Parts

extension EvaluationPlan {
  private static func detections(_ bundle: ModelBundle) -> Part {
    Part(mode: .predict, inputs: []) { (model) throws(ModelError) in
      DetectionEvaluator(try DetectionDecoder(model), labels: try bundle.classLabels())
    }
  }

  private static func masks(_ bundle: ModelBundle) throws(ModelError) -> Part {
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let output = outputs.first(where: { SegmentationGrid($0) != nil }) else {
      throw ModelError(
        .output, .unsupported("judging by masks a model without an output of rows and columns"),
        file: bundle.path)
    }
    let labels = try bundle.dataLabels()
    return Part(mode: .predict, inputs: []) { (_) throws(ModelError) in
      try SegmentationEvaluator(output, labels: labels)
    }
  }

  private static func testBundleParts(
    _ bundle: ModelBundle, _ test: TestBundle
  ) throws(ModelError) -> [Part] {
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let layer = outputs.first(where: { $0.labelsFile != nil }) else {
      throw ModelError(
        .output, .unsupported("judging by expected labels a model that gives none"),
        file: bundle.path)
    }
    let (output, labels) = (layer.name, try bundle.labels(for: layer))
    let byLabel = Part(mode: .predict, inputs: []) { _ in
      ClassificationEvaluator(
        output: output, labels: labels, groundTruth: GroundTruthLabel.expectedIndex(of: output, among: labels))
    }
    guard test.options.metric != nil else { return [byLabel] }
    let byThreshold = Part(mode: .predict, inputs: []) { _ in
      CustomMetricEvaluator(TopLabelAccuracy.top5AboveThreshold(output: output, groundTruth: output))
    }
    return [byLabel, byThreshold]
  }
}

extension ModelBundle {
  /// The labels that data for the bundle may name: those of what comes out of predictions, or else
  /// of what any of its modes takes or gives.
  package func dataLabels() throws(ModelError) -> [String] {
    let modes = [ModelMode.predict, .train, .evaluate].map(description.resolved)
    let layers = modes.flatMap(\.outputs) + modes.flatMap(\.inputs)
    guard let layer = layers.first(where: { $0.labelsFile != nil }) else { return [] }
    return try labels(for: layer)
  }

  /// What a detector tells apart.
  fileprivate func classLabels() throws(ModelError) -> [String] {
    let outputs = description.resolved(for: .predict).outputs
    guard let classes = outputs.first(where: { $0.role == .classes }), classes.labelsFile != nil else {
      return DetectionOptions(description.task).label.map { [$0] } ?? []
    }
    return try labels(for: classes)
  }
}

extension EvaluationPlan {
  /// How many examples there are.
  package var count: Int { data.items.count }

  /// What an example is called.
  package func name(at index: Int) -> String { data.items.name(at: index) }

  /// What goes into the model of an example, without the right answers.
  package func input(at index: Int, of layers: [Layer]) throws(ModelError) -> ModelInput {
    try data.example(at: index).input.restricted(to: Set(layers.map(\.name)))
  }
}

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
    if description.modes.contains(.evaluate) { addEvaluateMode(description.resolved(for: .evaluate)) }
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

  private mutating func addEvaluateMode(_ description: ModelDescription) {
    let outputs = description.outputs.map(\.name)
    add(.evaluate, description.inputs) { _ in OutputMeanEvaluator(outputs: outputs) }
  }

  private mutating func addEmbeddings(_ description: ModelDescription) {
    let labels = labels
    add(.predict, description.resolved(for: .predict).inputs, truths: [.defaultLabel]) {
      (model) throws(ModelError) in
      VerificationEvaluator(
        try EmbeddingDecoder(model), labels: labels,
        groundTruth: GroundTruthLabel.index(inValue: EvaluationPlan.defaultLabelName))
    }
  }

  private mutating func addPredictions(_ bundle: ModelBundle) throws(ModelError) {
    let predicting = bundle.description.resolved(for: .predict)
    let truth = groundTruthLayer(of: bundle.description)
    if let output = predicting.outputs.first(where: { $0.labelsFile != nil }) {
      guard let truth = truth ?? (parts.isEmpty ? .defaultLabel : nil) else { return }
      let labels = try bundle.labels(for: output)
      add(.predict, predicting.inputs, truths: [truth]) { _ in
        ClassificationEvaluator(output: output.name, labels: labels, groundTruth: GroundTruthLabel.index(inValue: truth.name))
      }
    } else if parts.isEmpty, !predicting.outputs.isEmpty,
      predicting.outputs.allSatisfy(\.isNumeric)
    {
      let outputs = predicting.outputs
      let truths = outputs.count == 1 ? [truth ?? outputs[0].groundTruthLayer] : outputs.map(\.groundTruthLayer)
      let pairs = zip(outputs, truths).map { (output: $0.name, truth: $1.name) }
      add(.predict, predicting.inputs, truths: truths) { _ in RegressionEvaluator(pairs) }
    }
  }

  private mutating func add(
    _ mode: ModelMode, _ inputs: [Layer], truths: [Layer] = [],
    _ judge: @escaping @Sendable (Model) throws(ModelError) -> any Evaluator
  ) {
    if parts.isEmpty { layers = inputs + truths }
    parts.append(EvaluationPlan.Part(mode: mode, inputs: Set(inputs.map(\.name)), makeEvaluator: judge))
  }

  /// Where the data has the right answer, as far as the bundle says: in the one value that training
  /// or evaluating takes besides.
  private func groundTruthLayer(of description: ModelDescription) -> Layer? {
    let inputs = Set(description.resolved(for: .predict).inputs.map(\.name))
    for mode in [ModelMode.evaluate, .train] where description.modes.contains(mode) {
      let layers = description.resolved(for: mode).inputs
      let others = layers.filter { !inputs.contains($0.name) }
      if others.count == 1, layers.count == inputs.count + 1 { return others[0] }
    }
    return nil
  }
}

extension Layer {
  fileprivate static let defaultLabel = Layer(
    name: EvaluationPlan.defaultLabelName,
    kind: .scalar(NumericLayer(shape: [1], elementType: .int64)))

  /// What the data says that should come out, in numbers as they are.
  fileprivate var groundTruthLayer: Layer {
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
