import TensorIOBundle
import TensorIOCore
import TensorIOTasks

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
    // The columns of a task have numbers and texts, which are no labels.
    labels = bundle.task is any EvaluatedTask.Type ? [] : try bundle.dataLabels()
    if description.modes.contains(.evaluate) {
      addEvaluateMode(description.resolved(for: .evaluate))
    }
    if description.modes.contains(.predict) {
      if let task = bundle.task as? any EvaluatedTask.Type {
        try addTask(task, bundle, classFolders: classFolders)
      } else if bundle.resultForms.contains(.identities) {
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

  /// Whether only the model's file determines whether an input takes numbers or strings.
  var hasUntypedInputs: Bool {
    let inputs = parts.reduce(into: Set<String>()) { $0.formUnion($1.inputs) }
    return layers.contains { layer in
      switch layer.kind {
      case .array(let numeric), .scalar(let numeric):
        numeric.elementType == nil && numeric.quantize == nil && inputs.contains(layer.name)
      case .image, .string, .text, .audio: false
      }
    }
  }

  private mutating func addEvaluateMode(_ description: ModelDescription) {
    let outputs = description.outputs.map(\.name)
    add(.evaluate, description.inputs, reporting: outputs) { _ in
      OutputMeanEvaluator(outputs: outputs)
    }
  }

  private mutating func addTask(
    _ task: any EvaluatedTask.Type, _ bundle: ModelBundle, classFolders: [String]
  ) throws(ModelError) {
    guard classFolders.isEmpty else {
      // The numbers of the folders would be taken for those of a column.
      throw ModelError(
        .input, .unmetRequirement("evaluating the task requires a table or JSON lines"),
        file: bundle.path)
    }
    add(
      .predict, bundle.description.resolved(for: .predict).inputs,
      groundTruth: task.groundTruth.map(\.layer), reporting: nil
    ) { (model) throws(ModelError) in try task.evaluator(of: model) }
  }

  private mutating func addEmbeddings(_ description: ModelDescription) {
    let labels = labels
    add(
      .predict, description.resolved(for: .predict).inputs, groundTruth: [.defaultLabel],
      reporting: MetricNames.verification
    ) { (model) throws(ModelError) in
      try VerificationEvaluator(
        ResultReader(model, .identities), labels: labels,
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
          "the bundle has no labels, so that a folder for each of its \(count, as: "count") classes is required; "
            + "the data has \(folders.count, as: "folders_count")"))
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
    reporting metricNames: [String]?,
    _ makeEvaluator: @escaping @Sendable (Model) throws(ModelError) -> any Evaluator
  ) {
    // Other parts of a text, such as the mask of its tokens, are computed of it.
    let inputs = inputs.filter { !$0.sharesText }
    if parts.isEmpty { layers = inputs + groundTruth }
    parts.append(
      EvaluationPlan.Part(
        mode: mode, inputs: Set(inputs.map(\.name)), metricNames: metricNames,
        makeEvaluator: makeEvaluator))
  }

  /// Returns the layer of the ground truth: the single additional input of the `eval` or `train`
  /// mode.
  private func groundTruthLayer(of description: ModelDescription) -> Layer? {
    let inputs = description.resolved(for: .predict).inputs
    for mode in [ModelMode.evaluate, .train] where description.modes.contains(mode) {
      let layers = description.resolved(for: mode).inputs
      let others = layers.filter { layer in !inputs.contains { $0.name == layer.name } }
      guard others.count == 1, layers.count == inputs.count + 1 else { continue }
      let size = layers.lazy.compactMap { $0.fixedBatchSize(over: inputs) }.first
      let isBatch = size != nil && others[0].shape.dimensions.first == size
      return isBatch ? others[0].singleItemLayer : others[0]
    }
    return nil
  }
}

extension Layer {
  /// Returns the number of items of a training input, if predictions take one of these in an input with the same name.
  fileprivate func fixedBatchSize(over inputs: [Layer]) -> Int? {
    guard let size = shape.dimensions.first ?? nil, size > 1,
      let item = inputs.first(where: { $0.name == name })?.shape.dimensions
    else { return nil }
    let single = (item.first ?? nil) ?? 1 == 1 ? item.dropFirst() : item[...]
    return [item[...], single].contains(shape.dimensions.dropFirst()) ? size : nil
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
