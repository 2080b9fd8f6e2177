public import TensorIOBundle
package import TensorIOCore
public import TensorIOData
import TensorIOSystem
import TensorIOTasks

/// The bundle, dataset and metrics of an evaluation.
public struct EvaluationPlan: Sendable {
  /// The name of the label column if the bundle does not define one.
  static let defaultLabelName = "label"

  /// One mode of a model and its evaluator.
  struct Part: Sendable {
    let mode: ModelMode
    /// The names of the values that the mode takes as inputs.
    let inputs: Set<String>
    /// The names of the metrics that the evaluator may report; `nil` if they are unknown.
    let metricNames: [String]?
    let makeEvaluator: @Sendable (Model) throws(ModelError) -> any Evaluator
  }

  /// The bundle to evaluate.
  public let bundle: ModelBundle
  /// The dataset to evaluate on.
  package internal(set) var data: EvaluationData
  /// The default number of runs per item, which a test bundle may set.
  public private(set) var iterations = 1
  /// The modes and evaluators; the last mode is the one that is timed.
  var parts: [Part]

  /// Creates a plan for a bundle and a dataset.
  ///
  /// The kind of dataset decides which metrics are computed. A dataset that has both boxes and
  /// masks is read as the bundle's task requires.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to evaluate.
  ///   - path: The path of the dataset.
  ///   - knownLabelsOnly: Whether to skip boxes with labels that the bundle does not have.
  /// - Throws: A `ModelError` if the dataset is invalid or does not fit the bundle.
  public init(
    _ bundle: ModelBundle, dataAt path: String, knownLabelsOnly: Bool = false
  ) throws(ModelError) {
    self.bundle = bundle
    switch Self.kind(of: path, for: bundle) {
    case .detections where bundle.description.task?.type == "pose":
      let dataset = try DetectionDataset(at: path)
      guard dataset.hasKeypoints else {
        throw ModelError(
          .input, .unmetRequirement("evaluating poses requires a COCO dataset with keypoints"),
          file: path)
      }
      (data, parts) = (.detections(dataset), [Self.poses()])
    case .detections:
      data = .detections(
        try DetectionDataset(
          at: path, labels: bundle.detectionLabels(), knownLabelsOnly: knownLabelsOnly))
      parts = [Self.detections(bundle)]
    case .masks:
      data = .masks(try SegmentationDataset(at: path, labels: bundle.dataLabels()))
      parts = [try Self.masks(bundle)]
    case .pairs:
      let pairs = try ImagePairs(at: path)
      data = .pairs(pairs)
      parts = [try Self.pairs(bundle, pairs.pairs)]
    case .testBundle:
      let test = try TestBundle(at: path)
      data = .testBundle(test)
      parts = try Self.testBundleParts(bundle, test)
      iterations = test.options.iterations
    case .examples:
      let plan = try ExamplePlan(bundle, classFolders: Self.classFolders(at: path))
      data = .examples(try ExampleDataset(at: path, for: plan.layers, labels: plan.labels))
      parts = plan.parts
    }
  }

  private static func kind(of path: String, for bundle: ModelBundle) -> DatasetKind {
    let kinds = DatasetKind.kinds(of: path)
    let isDetector = ["detection", "pose"].contains(bundle.description.task?.type)
    if kinds.contains(.detections), kinds.contains(.masks) {
      return isDetector ? .detections : .masks
    }
    return kinds.first ?? .examples
  }

  /// Returns the names of a folder's subfolders in byte order, which number the classes of a bundle
  /// without labels.
  private static func classFolders(at path: String) -> [String] {
    guard FileKind(at: path) == .directory, let names = try? FileSystem.entryNames(in: path) else {
      return []
    }
    return names.filter { !$0.hasPrefix(".") && FileKind(at: "\(path)/\($0)") == .directory }
      .sortedByBytes
  }

  /// Removes the items that do not match a filter.
  public mutating func filter(_ filter: DatasetFilter) throws(ModelError) {
    data = try data.filter(filter)
    if case .pairs(let pairs) = data { parts = [try Self.pairs(bundle, pairs.pairs)] }
  }

  /// Returns the plan with an additional custom metric.
  public func adding(_ metric: any CustomMetric) -> EvaluationPlan {
    guard let last = parts.last else { return self }
    var plan = self
    plan.parts.append(
      Part(mode: last.mode, inputs: last.inputs, metricNames: nil) { (_) throws(ModelError) in
        CustomMetricEvaluator(metric)
      })
    return plan
  }
}

// MARK: Parts

extension EvaluationPlan {
  private static func detections(_ bundle: ModelBundle) -> Part {
    Part(mode: .predict, inputs: [], metricNames: MetricNames.detection) {
      (model) throws(ModelError) in
      DetectionEvaluator(try DetectionDecoder(model), labels: try bundle.detectionLabels())
    }
  }

  private static func poses() -> Part {
    Part(mode: .predict, inputs: [], metricNames: MetricNames.keypoints) {
      (model) throws(ModelError) in
      PoseEvaluator(try PoseDecoder(model))
    }
  }

  private static func pairs(
    _ bundle: ModelBundle, _ pairs: [ImagePairs.Pair]
  ) throws(ModelError) -> Part {
    guard bundle.description.task?.type == "embedding" else {
      throw ModelError(
        .bundle, .unmetRequirement("evaluating pairs of images requires the task embedding"),
        file: bundle.path)
    }
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.binary) {
      (model) throws(ModelError) in
      VerificationEvaluator(try EmbeddingDecoder(model), pairs: pairs)
    }
  }

  private static func masks(_ bundle: ModelBundle) throws(ModelError) -> Part {
    if bundle.description.task?.type == "segmentation" {
      let labels = try bundle.dataLabels()
      return Part(mode: .predict, inputs: [], metricNames: MetricNames.segmentation) {
        (model) throws(ModelError) in
        SegmentationEvaluator(try SegmentationDecoder(model), labels: labels)
      }
    }
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let output = outputs.first(where: { SegmentationGrid($0) != nil }) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating masks requires a two-dimensional output"),
        file: bundle.path)
    }
    let labels = try bundle.dataLabels()
    return Part(mode: .predict, inputs: [], metricNames: MetricNames.segmentation) {
      (_) throws(ModelError) in
      try SegmentationEvaluator(output, labels: labels)
    }
  }

  private static func testBundleParts(
    _ bundle: ModelBundle, _ test: TestBundle
  ) throws(ModelError) -> [Part] {
    let outputs = bundle.description.resolved(for: .predict).outputs
    guard let layer = outputs.first(where: { $0.labelsFile != nil }) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating expected labels requires an output with labels"),
        file: bundle.path)
    }
    let (output, labels) = (layer.name, try bundle.labels(for: layer))
    let names = MetricNames.classification(labelCount: labels.count)
    let byLabel = Part(mode: .predict, inputs: [], metricNames: names) { _ in
      ClassificationEvaluator(
        output: output, labels: labels,
        groundTruth: GroundTruthLabel.expectedIndex(of: output, among: labels))
    }
    guard test.options.metric != nil else { return [byLabel] }
    let metric = TopLabelAccuracy.top5AboveThreshold(output: output, groundTruth: output)
    let byThreshold = Part(mode: .predict, inputs: [], metricNames: [metric.name]) { _ in
      CustomMetricEvaluator(metric)
    }
    return [byLabel, byThreshold]
  }
}

extension ModelBundle {
  /// Returns the labels that a dataset for the bundle may use: those of the `predict` outputs, or
  /// else of any input or output of another mode.
  package func dataLabels() throws(ModelError) -> [String] {
    let modes = [ModelMode.predict, .train, .evaluate].map(description.resolved)
    let layers = modes.flatMap(\.outputs) + modes.flatMap(\.inputs)
    guard let layer = layers.first(where: { $0.labelsFile != nil }) else { return [] }
    return try labels(for: layer)
  }

  /// Returns the class labels of a detector, whose output with the classes, or with the boxes of a raw
  /// head, has them.
  fileprivate func detectionLabels() throws(ModelError) -> [String] {
    let labels = try classLabels(of: description.resolved(for: .predict))
    guard labels.isEmpty else { return labels }
    return DetectionOptions(description.task).label.map { [$0] } ?? []
  }
}

extension EvaluationPlan {
  /// The number of items.
  package var count: Int { data.items.count }

  /// The names of the metrics that the evaluation may report; `nil` if a custom metric defines them.
  package var metricNames: [String]? {
    let names = parts.compactMap(\.metricNames)
    guard names.count == parts.count else { return nil }
    return names.flatMap(\.self) + PerformanceResult.metricNames
  }

  /// Returns the name of an item.
  package func name(at index: Int) -> String { data.items.name(at: index) }

  /// Reads the inputs of an item for some layers, without the ground truth.
  package func input(at index: Int, of layers: [Layer]) throws(ModelError) -> ModelInput {
    try data.example(at: index).input.restricted(to: Set(layers.map(\.name)))
  }
}

/// The layers that examples must provide, and the evaluators of a bundle's modes.
///
/// The outputs of a bundle's `eval` mode are metrics that are averaged. Predictions are evaluated
/// if they can be compared with the ground truth.
struct ExamplePlan {
  /// The layers that every example must provide.
  private(set) var layers: [Layer] = []
  /// The label names by index.
  let labels: [String]
  /// The modes and evaluators; the last mode is the one that is timed.
  private(set) var parts: [EvaluationPlan.Part] = []

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to evaluate.
  ///   - classFolders: The subfolders of an image folder, which are the classes of a bundle without
  ///     labels.
  /// - Throws: A `ModelError` if the outputs cannot be compared with the data.
  init(_ bundle: ModelBundle, classFolders: [String] = []) throws(ModelError) {
    let description = bundle.description
    labels = try bundle.dataLabels()
    if description.modes.contains(.evaluate) {
      addEvaluateMode(description.resolved(for: .evaluate))
    }
    if description.modes.contains(.predict) {
      if description.task?.type == "embedding" {
        addEmbeddings(description)
      } else {
        try addPredictions(bundle, classFolders: classFolders)
      }
    }
    guard !parts.isEmpty else {
      let feature = "evaluating a bundle without an eval mode, labeled outputs or numeric outputs"
      throw ModelError(.bundle, .unsupported(feature), file: bundle.path)
    }
  }

  private mutating func addEvaluateMode(_ description: ModelDescription) {
    let outputs = description.outputs.map(\.name)
    add(.evaluate, description.inputs, reporting: outputs) { _ in
      OutputMeanEvaluator(outputs: outputs)
    }
  }

  private mutating func addEmbeddings(_ description: ModelDescription) {
    let labels = labels
    add(
      .predict, description.resolved(for: .predict).inputs, groundTruth: [.defaultLabel],
      reporting: MetricNames.verification
    ) { (model) throws(ModelError) in
      VerificationEvaluator(
        try EmbeddingDecoder(model), labels: labels,
        groundTruth: GroundTruthLabel.index(inValue: EvaluationPlan.defaultLabelName))
    }
  }

  private mutating func addPredictions(
    _ bundle: ModelBundle, classFolders: [String]
  ) throws(ModelError) {
    let predicting = bundle.description.resolved(for: .predict)
    let declaredLayer = groundTruthLayer(of: bundle.description)
    if let output = predicting.outputs.first(where: { $0.labelsFile != nil }) {
      guard let layer = declaredLayer ?? (parts.isEmpty ? .defaultLabel : nil) else { return }
      let labels = try bundle.labels(for: output)
      add(
        .predict, predicting.inputs, groundTruth: [layer],
        reporting: MetricNames.classification(labelCount: labels.count)
      ) { _ in
        ClassificationEvaluator(
          output: output.name, labels: labels,
          groundTruth: GroundTruthLabel.index(inValue: layer.name))
      }
    } else if parts.isEmpty, predicting.inputs.count == 1, predicting.inputs[0].isImage,
      !classFolders.isEmpty, predicting.outputs.count == 1, predicting.outputs[0].isNumeric
    {
      try addNumberedClasses(predicting, classFolders, in: bundle)
    } else if parts.isEmpty, !predicting.outputs.isEmpty,
      predicting.outputs.allSatisfy(\.isNumeric)
    {
      let outputs = predicting.outputs
      let layers =
        outputs.count == 1
        ? [declaredLayer ?? outputs[0].groundTruthLayer] : outputs.map(\.groundTruthLayer)
      let pairs = zip(outputs, layers).map { (output: $0.name, groundTruth: $1.name) }
      add(
        .predict, predicting.inputs, groundTruth: layers, reporting: MetricNames.regression
      ) { _ in RegressionEvaluator(pairs) }
    }
  }

  /// Adds the scores of a model without labels, whose classes are numbered by the subfolders of the
  /// data.
  private mutating func addNumberedClasses(
    _ predicting: ModelDescription, _ folders: [String], in bundle: ModelBundle
  ) throws(ModelError) {
    let output = predicting.outputs[0]
    let count = max(2, output.elementCount ?? 0)
    guard folders.count == count else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "the bundle has no labels, so that a folder for each of its \(count) classes is required; "
            + "the data has \(folders.count)"))
    }
    add(
      .predict, predicting.inputs, groundTruth: [.defaultLabel],
      reporting: MetricNames.classification(labelCount: count)
    ) { _ in
      ClassificationEvaluator(
        output: output.name, labels: folders,
        groundTruth: GroundTruthLabel.index(inValue: Layer.defaultLabel.name))
    }
  }

  private mutating func add(
    _ mode: ModelMode, _ inputs: [Layer], groundTruth: [Layer] = [],
    reporting metricNames: [String],
    _ makeEvaluator: @escaping @Sendable (Model) throws(ModelError) -> any Evaluator
  ) {
    if parts.isEmpty { layers = inputs + groundTruth }
    parts.append(
      EvaluationPlan.Part(
        mode: mode, inputs: Set(inputs.map(\.name)), metricNames: metricNames,
        makeEvaluator: makeEvaluator))
  }

  /// Returns the layer of the ground truth: the single additional input of the `eval` or `train`
  /// mode.
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

  /// The layer of the ground truth for this output, as plain numbers.
  fileprivate var groundTruthLayer: Layer {
    Layer(name: name, kind: .array(NumericLayer(shape: shape)))
  }

  /// Whether the layer is numeric.
  fileprivate var isNumeric: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string, .text, .audio: false
    }
  }
}
