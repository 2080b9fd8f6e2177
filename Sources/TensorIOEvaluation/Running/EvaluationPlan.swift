public import TensorIOCore
public import TensorIOData
internal import TensorIOTasks

/// What a model is judged by: which data it wants, and which of its modes say what.
public struct EvaluationPlan: Sendable {
  /// What the labels of the data are called when the bundle does not say.
  static let usualLabel = "label"

  /// One mode of a model, and how what it says is judged.
  struct Part: Sendable {
    let mode: ModelMode
    /// The names of what goes in, of all that the data has.
    let inputs: Set<String>
    let judge: @Sendable (Model) throws(ModelError) -> any Judge
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
        try DetectionSet(at: path, labels: bundle.classLabels(), knownOnly: knownLabelsOnly))
      parts = [Self.detections(bundle)]
    case .masks:
      data = .masks(try MaskSet(at: path, labels: bundle.dataLabels()))
      parts = [try Self.masks(bundle)]
    case .testBundle:
      let test = try TestBundle(at: path)
      data = .test(test)
      parts = try Self.expectations(bundle, test)
      iterations = test.options.iterations
    case .examples:
      let plan = try ExamplePlan(bundle)
      data = .examples(try DataSet(at: path, for: plan.layers, labels: plan.labels))
      parts = plan.parts
    }
  }

  private static func kind(of path: String, for bundle: ModelBundle) -> DataKind {
    let kinds = DataKind.kinds(of: path)
    let isDetector = bundle.description.task?.type == "detection"
    if kinds.contains(.detections), kinds.contains(.masks) {
      return isDetector ? .detections : .masks
    }
    return kinds.first ?? .examples
  }

  /// Leaves out the items that a filter does not want.
  public mutating func filter(_ filter: DataFilter) throws(ModelError) {
    data = try data.filter(filter)
  }

  /// The plan with a metric of the application's own besides.
  public func adding(_ metric: any ExampleMetric) -> EvaluationPlan {
    guard let last = parts.last else { return self }
    var plan = self
    plan.parts.append(
      Part(mode: last.mode, inputs: last.inputs) { (_) throws(ModelError) in OwnJudge(metric) })
    return plan
  }
}

// MARK: Parts

extension EvaluationPlan {
  private static func detections(_ bundle: ModelBundle) -> Part {
    Part(mode: .predict, inputs: []) { (model) throws(ModelError) in
      DetectionJudge(try DetectionReader(model), labels: try bundle.classLabels())
    }
  }

  private static func masks(_ bundle: ModelBundle) throws(ModelError) -> Part {
    let outputs = bundle.description.inMode(.predict).outputs
    guard let output = outputs.first(where: { MaskGrid($0) != nil }) else {
      throw ModelError(
        .output, .unsupported("judging by masks a model without an output of rows and columns"),
        file: bundle.path)
    }
    let labels = try bundle.dataLabels()
    return Part(mode: .predict, inputs: []) { (_) throws(ModelError) in
      try MaskJudge(output, labels: labels)
    }
  }

  private static func expectations(
    _ bundle: ModelBundle, _ test: TestBundle
  ) throws(ModelError) -> [Part] {
    let outputs = bundle.description.inMode(.predict).outputs
    guard let layer = outputs.first(where: { $0.labels != nil }) else {
      throw ModelError(
        .output, .unsupported("judging by expected labels a model that gives none"),
        file: bundle.path)
    }
    let (output, labels) = (layer.name, try bundle.labels(for: layer))
    let byLabel = Part(mode: .predict, inputs: []) { _ in
      LabelJudge(
        output: output, labels: labels, truth: LabelTruth.expected(of: output, among: labels))
    }
    guard test.options.metric != nil else { return [byLabel] }
    let byThreshold = Part(mode: .predict, inputs: []) { _ in
      OwnJudge(TopLabels.fiveAboveThreshold(output: output, truth: output))
    }
    return [byLabel, byThreshold]
  }
}

extension ModelBundle {
  /// The labels that data for the bundle may name: those of what comes out of predictions, or else
  /// of what any of its modes takes or gives.
  package func dataLabels() throws(ModelError) -> [String] {
    let modes = [ModelMode.predict, .train, .evaluate].map(description.inMode)
    let layers = modes.flatMap(\.outputs) + modes.flatMap(\.inputs)
    guard let layer = layers.first(where: { $0.labels != nil }) else { return [] }
    return try labels(for: layer)
  }

  /// What a detector tells apart.
  fileprivate func classLabels() throws(ModelError) -> [String] {
    let outputs = description.inMode(.predict).outputs
    guard let classes = outputs.first(where: { $0.role == .classes }), classes.labels != nil else {
      return DetectionOptions(description.task).label.map { [$0] } ?? []
    }
    return try labels(for: classes)
  }
}
