public import TensorIOBundle
public import TensorIOCore
public import TensorIOData
import TensorIOJSON
import TensorIOSystem
package import TensorIOTasks

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
  /// What errors cost; `nil` if that is not measured.
  public var costs: ErrorCosts?
  /// The attributes of items from a table of their own.
  private var attributeTable: AttributeTable?
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
  /// - Throws: A `ModelError` if the dataset is invalid or does not fit the bundle. Images that
  ///   cannot be read are failed items of the evaluation instead.
  public init(
    _ bundle: ModelBundle, dataAt path: String, knownLabelsOnly: Bool = false
  ) throws(ModelError) {
    try self.init(bundle, dataAt: path, knownLabelsOnly: knownLabelsOnly) { _ in nil }
  }

  /// Creates a plan for a bundle whose model may have tensors of strings.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to evaluate.
  ///   - path: The path of the dataset.
  ///   - knownLabelsOnly: Whether to skip boxes with labels that the bundle does not have.
  ///   - opening: Opens the model in a mode. It is called if the dataset has values for an input whose type only the model's
  ///     file determines.
  /// - Throws: A `ModelError` if the dataset is invalid or does not fit the bundle.
  public init(
    _ bundle: ModelBundle, dataAt path: String, knownLabelsOnly: Bool = false,
    opening: (ModelMode) -> Model?
  ) throws(ModelError) {
    try self.init(
      bundle, dataAt: path, knownLabelsOnly: knownLabelsOnly, labelColumn: nil, opening: opening)
  }

  /// Creates a plan for a table or JSON lines whose expected values are in a column with another name than the usual one.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to evaluate.
  ///   - path: The path of the dataset.
  ///   - knownLabelsOnly: Whether to skip boxes with labels that the bundle does not have.
  ///   - labelColumn: The column of a table, or the key of a JSON line, with the label or the value that is expected; `nil` for
  ///     the usual one.
  ///   - opening: Opens the model in a mode. It is called if the dataset has values for an input whose type only the model's
  ///     file determines.
  /// - Throws: A `ModelError` if the dataset is invalid or does not fit the bundle.
  public init(
    _ bundle: ModelBundle, dataAt path: String, knownLabelsOnly: Bool = false,
    labelColumn: String?, opening: (ModelMode) -> Model? = { _ in nil }
  ) throws(ModelError) {
    self.bundle = bundle
    let forms = bundle.resultForms
    switch Self.kind(of: path, forms) {
    case .detections where forms.contains(.keypoints) && !forms.contains(.boxes):
      let dataset = try DetectionDataset(at: path)
      guard dataset.hasKeypoints else {
        throw ModelError(
          .input, .unmetRequirement("evaluating poses requires a COCO dataset with keypoints"),
          file: path)
      }
      (data, parts) = (.detections(dataset), [Self.poses()])
    case .detections:
      let dataset = try DetectionDataset(
        at: path, labels: bundle.detectionLabels(), knownLabelsOnly: knownLabelsOnly)
      data = .detections(dataset)
      parts = [
        dataset.hasOutlines && forms.contains(.outlines)
          ? Self.instanceMasks(bundle) : Self.detections(bundle)
      ]
    case .masks:
      data = .masks(try SegmentationDataset(at: path, labels: bundle.dataLabels()))
      parts = [try Self.masks(bundle)]
    case .pairs:
      let pairs = try ImagePairs(at: path, checkingImages: false)
      data = .pairs(pairs)
      parts = [try Self.pairs(bundle, pairs.pairs)]
    case .tracks:
      data = .tracks(try TrackDataset(at: path, checkingImages: false))
      parts = [try Self.tracks(bundle)]
    case .questions:
      (data, parts) = (.questions(try QuestionDataset(at: path)), [try Self.answers(bundle)])
    case .sentences:
      (data, parts) = (.sentences(try TaggedSentences(at: path)), [try Self.entities(bundle)])
    case .textImages:
      (data, parts) = (.textImages(try TextImages(at: path)), [Self.textLines(forms)])
    case .recordings:
      data = .recordings(try Recordings(at: path))
      parts = [forms.contains(.keywords) ? Self.keywords : Self.transcripts()]
    case .prompts:
      let prompts = try PromptDataset(at: path)
      (data, parts) = (.prompts(prompts), [Self.prompts(prompts)])
    case .testBundle:
      let test = try TestBundle(at: path)
      data = .testBundle(test)
      parts = try Self.testBundleParts(bundle, test)
      iterations = test.options.iterations
    case .examples:
      let plan = try ExamplePlan(bundle, classFolders: Self.classFolders(at: path))
      let mode = plan.hasUntypedInputs && FileKind(at: path) == .file ? plan.parts.last?.mode : nil
      let texts = mode.flatMap(opening)?.textInputs
      let inputs = plan.layers.filter { plan.parts.last?.inputs.contains($0.name) == true }
      var columnNames = DatasetColumns.columnNames(of: inputs, texts: texts ?? [], in: path)
      if let labelColumn {
        let expected = plan.layers.filter { layer in !inputs.contains { $0.name == layer.name } }
        guard expected.count == 1, FileKind(at: path) == .file else {
          throw Self.rejectedLabelColumn(labelColumn, path)
        }
        columnNames[expected[0].name] = labelColumn
      }
      data = .examples(
        try ExampleDataset(
          at: path, for: plan.layers, labels: plan.labels, texts: texts ?? [],
          checkingImages: false, columnNames: columnNames))
      parts = plan.parts
    }
    if let labelColumn {
      guard case .examples = data else { throw Self.rejectedLabelColumn(labelColumn, path) }
    }
  }

  private static func rejectedLabelColumn(_ column: String, _ path: String) -> ModelError {
    ModelError(
      .input,
      .unmetRequirement(
        "the column '\(column)' of labels requires a table or JSON lines with one expected value for each item"
      ),
      file: path)
  }

  private static func kind(of path: String, _ forms: [ResultForm]) -> DatasetKind {
    let kinds = DatasetKind.kinds(of: path)
    if forms.contains(.lines) || forms.contains(.line), TextImages.matches(path) {
      return .textImages
    }
    if forms.contains(.transcript) || forms.contains(.keywords), Recordings.matches(path) {
      return .recordings
    }
    if kinds.contains(.detections), kinds.contains(.masks) {
      return forms.contains(.boxes) || forms.contains(.keypoints) ? .detections : .masks
    }
    if forms.contains(.continuations), kinds.contains(.prompts) || kinds == [.examples] {
      return .prompts
    }
    if kinds.contains(.sentences), forms.contains(.sections) { return .sentences }
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

  /// Adds attributes of items from a table, so that slices can be evaluated of data that has no place for
  /// attributes, such as folders of images.
  ///
  /// The first column has the names of the items, as reports list them; each other column is an attribute.
  ///
  /// - Throws: A `ModelError` if the table is invalid, or if it has none of the items.
  public mutating func addAttributes(at path: String) throws(ModelError) {
    let table = try AttributeTable(at: path)
    let items = data.items
    try table.throwIfUnrelated(to: (0..<items.count).lazy.map { items.name(at: $0) })
    attributeTable = table
  }

  /// Returns the reference to an item, with its attributes.
  func reference(at index: Int) -> ItemReference {
    var reference = data.reference(at: index)
    if let attributeTable {
      reference.attributes.merge(attributeTable[item: reference.name]) { _, new in new }
    }
    return reference
  }

  /// The values of each attribute of the items by its name.
  package var attributeValues: [String: Set<String>] {
    var values: [String: Set<String>] = [:]
    for index in 0..<data.items.count {
      for (name, value) in reference(at: index).attributes {
        values[name, default: []].insert(value)
      }
    }
    return values
  }

  /// Removes the items that do not match a filter.
  public mutating func filter(_ filter: DatasetFilter) throws(ModelError) {
    data = try data.filter(filter)
    if case .pairs(let pairs) = data { parts = [try Self.pairs(bundle, pairs.pairs)] }
  }

  /// Returns the plan with the metrics of the names that a gallery gives to embeddings.
  ///
  /// - Throws: A `ModelError` if the bundle computes no embeddings, or the data has no labels.
  package func recognizing(with gallery: InMemoryGallery) throws(ModelError) -> EvaluationPlan {
    try Self.require(.identities, of: bundle, for: "a gallery")
    guard case .examples(let dataset) = data, let last = parts.last else {
      throw ModelError(
        .bundle, .unmetRequirement("evaluating a gallery requires data with labels"),
        file: bundle.path)
    }
    var plan = self
    let labels = dataset.labels
    plan.parts[parts.count - 1] = Part(
      mode: last.mode, inputs: last.inputs, metricNames: MetricNames.recognition
    ) { (model) throws(ModelError) in
      try GalleryEvaluator(ResultReader(model, .identities), gallery, dataLabels: labels)
    }
    return plan
  }

  /// Returns the plan with a normalizer for all recordings, in place of that of the language in which each was transcribed.
  ///
  /// - Throws: A `ModelError` if the data are no recordings with their texts, or the bundle does not transcribe.
  public func normalizing(
    with normalizer: TranscriptNormalizer
  ) throws(ModelError) -> EvaluationPlan {
    guard case .recordings = data, bundle.resultForms.contains(.transcript) else {
      throw ModelError(
        .bundle,
        .unmetRequirement("a normalizer requires transcripts of recordings with their texts"),
        file: bundle.path)
    }
    var plan = self
    plan.parts = [Self.transcripts(normalizer)]
    return plan
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

extension ModelBundle {
  /// Returns the labels that a dataset for the bundle may use: those of the `predict` outputs, or
  /// else of any input or output of another mode.
  package func dataLabels() throws(ModelError) -> [String] {
    let modes = [ModelMode.predict, .train, .evaluate].map(description.resolved)
    let layers = modes.flatMap(\.outputs) + modes.flatMap(\.inputs)
    guard let layer = layers.first(where: { $0.labelsFile != nil }) else { return [] }
    return try labels(for: layer)
  }

  /// The bundle's task; `nil` if it has none.
  var task: (any ModelTask.Type)? {
    TaskRegistry.shared.format(for: description.resolved(for: .predict))?.task
  }

  /// The forms in which results of the bundle's task can be read; empty without a task.
  var resultForms: [ResultForm] {
    description.resolved(for: .predict).resultForms
  }
}

extension EvaluationPlan {
  /// The number of items.
  package var count: Int { data.items.count }

  /// The names of the metrics that the evaluation may report; `nil` if a custom metric defines them.
  package var metricNames: [String]? {
    let names = parts.compactMap(\.metricNames)
    guard names.count == parts.count else { return nil }
    return names.flatMap(\.self) + (costs == nil ? [] : [CostTally.name])
      + PerformanceResult.metricNames
  }

  /// The names of the metrics of quality that the evaluation may report, as far as they are known.
  var qualityMetricNames: [String] {
    var names: Set<String> = []
    return parts.flatMap { $0.metricNames ?? [] }.filter { names.insert($0).inserted }
  }

  /// The names of numbers that follow from slices and comparisons, which gates can name too.
  package static let decisionMetricNames =
    BaselineComparison.metricNames + [EvaluationResult.worstSliceName] + MetricNames.classes

  /// Returns the name of an item.
  package func name(at index: Int) -> String { data.items.name(at: index) }

  /// Whether running the model again shows where results are in an image, a text or a sound, and takes little time.
  ///
  /// Boxes are in the report.
  package var locatesResults: Bool {
    let forms = bundle.resultForms
    guard !forms.contains(.transcript), !forms.contains(.continuations) else { return false }
    let located: [ResultForm] = [.pixels, .outlines, .keypoints, .sections, .texts, .keywords]
    return forms.contains(where: located.contains)
      || bundle.description.resolved(for: .predict).inputs.contains(where: \.isAudio)
  }

  /// Returns the positions of items by their names.
  package func indices(of names: Set<String>) -> [String: Int] {
    guard !names.isEmpty else { return [:] }
    return (0..<count).reduce(into: [:]) { indices, index in
      let name = name(at: index)
      if names.contains(name), indices[name] == nil { indices[name] = index }
    }
  }

  /// Returns the path of an item's image; `nil` if it has none.
  package func imagePath(at index: Int) -> String? { reference(at: index).imagePath }

  /// Reads the inputs of an item for some layers, without the ground truth.
  package func input(at index: Int, of layers: [Layer]) throws(ModelError) -> ModelInput {
    try data.example(at: index).input.restricted(to: Set(layers.map(\.name)))
  }
}
