public import TensorIOBundle
public import TensorIOCore
package import TensorIOLibrary
package import TensorIOTasks

/// Teaches a model classes of your own from a few examples of each.
///
/// The model, its backbone, is not trained: it computes an embedding of each example, and a classifier of the embeddings
/// is fitted in a fraction of a second. Five examples of a class are enough to begin; twenty are better.
///
/// ```swift
/// import TensorIO
/// import TensorIOTeaching
///
/// var teacher = try Teacher(Model(at: "mobilenet.tiobundle"))
/// try teacher.add(contentsOf: "photos")  // photos/cup, photos/key, photos/phone
/// let taught = try teacher.fit()
/// print(taught.report.accuracy.value)
/// try taught.export(to: "mine.tiobundle")
/// ```
///
/// The new bundle has the classifier inside its model file and is used like any other. It also contains the embeddings of
/// the examples, so that more can be added later: a teacher of a taught bundle continues with its classes and examples.
public struct Teacher: Sendable {
  /// The label of examples and of inputs that belong to none of the classes.
  public static let unknownLabel = Recognition.unknownName

  /// Settings of a teacher.
  public struct Options: Sendable, Hashable {
    /// The classes, in the order of their scores, of which some may have no examples; `nil` for those of the examples.
    ///
    /// The clients of a federation agree on them. An example of another class is an error.
    public var classes: [String]?
    /// The fraction of the classes' own inputs that may be taken for unknown ones, from 0 to 1, which determines the
    /// maximum distance to the nearest example; `nil` for no class of unknown inputs.
    public var unknownRate: Double?
    /// C of the logistic regression: the weight of the examples against that of small weights; `nil` chooses it by the
    /// log loss of examples that are held out.
    public var regularization: Double?
    /// The column of a table, or the key of an NDJSON file, with the labels.
    public var labelColumn: String
    /// The folder with a database of embeddings by the digests of inputs and bundles; `nil` computes all embeddings.
    ///
    /// Defaults to `TENSORIO_CACHE_DIR`, otherwise a folder in the user's cache directory.
    public var cacheFolder: String?

    /// Creates options.
    public init(
      classes: [String]? = nil, unknownRate: Double? = 0.1, regularization: Double? = nil,
      labelColumn: String = "label", cacheFolder: String? = WeightCache()?.path
    ) {
      self.classes = classes
      (self.unknownRate, self.regularization) = (unknownRate, regularization)
      (self.labelColumn, self.cacheFolder) = (labelColumn, cacheFolder)
    }
  }

  /// The settings.
  public var options: Options
  /// The classes, in the order of their scores.
  public private(set) var classes: [String] = []
  /// The examples that could not be used, with the reasons.
  public private(set) var skipped: [SkippedExample] = []
  /// What was skipped while reading data.
  public private(set) var warnings: [Diagnostic] = []

  /// Called with the number of examples that are done, and of all.
  package var onProgress: (@Sendable (Int, Int) -> Void)?
  /// The model that was given.
  let model: Model
  private(set) var backbone: Backbone
  /// The training of the backbone; `nil` if there was none.
  var refinement: BackboneRefinement?
  /// The weights that were set, trained, or read from a taught bundle; `nil` for zeros.
  var head: WeightedClasses? { didSet { calibration = nil } }
  /// What ``calibrate()`` determined for the present weights and examples.
  var calibration: Calibration?
  private(set) var examples: [TaughtExample] = [] { didSet { calibration = nil } }
  /// Pairs of examples with the same input.
  private(set) var duplicates: [(name: String, of: String)] = []
  private(set) var dataPaths: [String] = []
  /// Pairs of examples with the same input and different labels.
  private(set) var conflicts: [(name: String, with: String)] = []
  /// The indices of examples by what makes them the same.
  private var known: [Identity: Int] = [:]
  /// The inputs of examples, by their digests; empty unless the backbone can be trained.
  private var inputs: [String: ExampleInput] = [:]
  /// Creates the digests of inputs.
  private var hasher: ItemKeyHasher

  /// Creates a teacher.
  ///
  /// - Parameters:
  ///   - model: A bundle with an embedding, or a classifier, whose embedding is what its last layer takes. A taught bundle
  ///     continues with its classes and examples.
  ///   - options: The settings.
  /// - Throws: `ModelError` if the model has no embedding, or its file cannot be given another last layer.
  public init(_ model: Model, _ options: Options = Options()) throws(ModelError) {
    self.options = options
    let backbone = try Backbone(model)
    (self.model, self.backbone) = (model, backbone)
    hasher = try Self.hasher(of: backbone)
    if let record = backbone.record {
      (classes, examples, head) = (record.classes, record.examples, record.head)
      updateKnownExamples()
    }
    guard let agreed = options.classes else { return }
    try Self.checkAgreed(agreed, containing: classes)
    classes = agreed
  }

  private static func hasher(of backbone: Backbone) throws(ModelError) -> ItemKeyHasher {
    try ModelError.rethrowing(.bundle) { () throws(OperationError) in
      try ItemKeyHasher(backbone.bundle, options: [], [:])
    }
  }

  /// Assigns a backbone with other weights, and the embeddings of all examples.
  ///
  /// - Parameters:
  ///   - backbone: The backbone.
  ///   - embeddings: The embeddings, in the order of the examples.
  ///   - inputs: The inputs, in the same order.
  ///   - trained: The indices of the examples that the weights were trained on.
  /// - Throws: `ModelError` if the files of the backbone cannot be read.
  mutating func setBackbone(
    _ backbone: Backbone, _ embeddings: [[Float]], _ inputs: [ModelInput], trained: Set<Int>
  ) throws(ModelError) {
    hasher = try Self.hasher(of: backbone)
    (self.backbone, head) = (backbone, nil)
    for index in examples.indices {
      let input = self.inputs.removeValue(forKey: examples[index].digest)
      examples[index].embedding = embeddings[index]
      examples[index].digest = hasher.key(of: inputs[index])
      if trained.contains(index) { examples[index].isTrained = true }
      self.inputs[examples[index].digest] = input
    }
    updateKnownExamples()
  }

  /// Returns the input of an example.
  func input(of example: TaughtExample) throws(ModelError) -> ModelInput {
    switch inputs[example.digest] {
    case .value(let input): return input
    case .item(let item): return try item.read()
    case nil:
      throw ModelError(
        .input,
        .unmetRequirement(
          "the input of the example '\(example.name)' is required, and only its embedding is known; add it again"
        ))
    }
  }

  /// The input of an example.
  private enum ExampleInput: Sendable {
    case value(ModelInput)
    case item(TeachingData.Item)
  }

  /// Whether the inputs are needed after their embeddings.
  private var keepsInputs: Bool { backbone.trainableDescription != nil }

  /// Returns the layers that could be the embeddings of a model that a teacher rejects, the most suitable ones first.
  ///
  /// - Parameter model: The model.
  /// - Returns: The layers; none if the model cannot return a layer that is no output.
  package static func embeddingLayers(of model: Model) -> [EmbeddingLayer] {
    Backbone.embeddingLayers(of: model)
  }

  /// What makes two examples the same: the input, or the embedding, as that of an image in another format.
  private enum Identity: Hashable {
    case digest(String)
    case embedding([Float])
  }

  private mutating func updateKnownExamples() {
    known = [:]
    for index in examples.indices { addIdentities(of: index) }
  }

  private mutating func addIdentities(of index: Int) {
    known[.embedding(examples[index].embedding)] = index
    if !examples[index].digest.isEmpty { known[.digest(examples[index].digest)] = index }
  }

  /// The identity of what computes the embeddings, to which galleries are bound.
  package func embedder() throws(OperationError) -> EmbedderIdentity {
    try EmbedderIdentity(EmbeddingOrigin(backbone.bundle))
  }

  /// The placeholders of a training of the backbone, such as a learning rate; none if it cannot be trained.
  package var trainingPlaceholders: [Layer] {
    get throws(ModelError) {
      guard let description = backbone.trainableDescription else { return [] }
      return try DescriptionReader.standard.read(description).get().resolved(for: .train)
        .placeholders
    }
  }

  /// The number of examples of each class, in the order of ``classes``.
  public var exampleCounts: [Int] { classes.map { label in examples.count { $0.label == label } } }
}

// MARK: - Examples

extension Teacher {
  /// Adds an example.
  ///
  /// - Parameters:
  ///   - input: The input.
  ///   - label: Its class; ``unknownLabel`` for an input of no class, with which the rejection of such is measured.
  ///   - name: A name for reports.
  /// - Throws: `ModelError` if the input does not fit the model, or has no valid embedding.
  public mutating func add(
    _ input: some ModelInputConvertible, as label: String, named name: String = ""
  ) throws(ModelError) {
    try check(label)
    let input = input.modelInput
    let digest = hasher.key(of: input)
    let embedding = try embedding(of: input)
    append(
      TaughtExample(label: label, name: name, digest: digest, embedding: embedding), .value(input))
  }

  /// Adds an example; one that cannot be used is listed in ``skipped``.
  package mutating func addOrSkip(_ input: ModelInput, as label: String, named name: String) {
    do throws(ModelError) {
      try add(input, as: label, named: name)
    } catch {
      skipped.append(SkippedExample(name: name, error: error))
    }
  }

  /// Adds the examples of a dataset.
  ///
  /// An input that cannot be read is skipped. The embeddings are cached, so that an interrupted call continues where it
  /// was.
  ///
  /// - Parameter path: A folder with a folder of images or sounds per class, or a `.csv`, `.tsv` or `.ndjson` file with a
  ///   column or key for each input and one for the label.
  /// - Throws: `ModelError` if the data cannot be read or does not fit the model.
  public mutating func add(contentsOf path: String) throws(ModelError) {
    try add(
      TeachingData(at: path, for: backbone.model, labelColumn: options.labelColumn), from: path)
  }

  /// Adds the files of one class.
  ///
  /// - Parameters:
  ///   - path: A folder of images or sounds, one such file, or a `.txt` file with a text on each line.
  ///   - label: The class.
  /// - Throws: `ModelError` if the files cannot be read.
  public mutating func add(filesAt path: String, as label: String) throws(ModelError) {
    try add(TeachingData(filesAt: path, as: label, for: backbone.model), from: path)
  }

  /// Adds the embeddings that a gallery has under names, which become classes.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIOTeaching
  ///
  /// var teacher = try Teacher(Model(at: "faces.tiobundle"))
  /// try teacher.add(galleryAt: "own.sqlite")
  /// try teacher.fit().export(to: "mine.tiobundle")
  /// ```
  ///
  /// - Parameter path: The gallery, whose embeddings the same bundle has computed.
  /// - Throws: `ModelError` if the file is not a gallery, or another bundle has computed its embeddings.
  public mutating func add(galleryAt path: String) throws(ModelError) {
    let gallery: InMemoryGallery
    do throws(OperationError) {
      gallery = try GalleryStore(path).gallery(for: embedder())
    } catch {
      throw error.modelError ?? ModelError(.input, .invalidValue("\(error.message)"))
    }
    do throws(ModelError) {
      try add(gallery)
    } catch {
      throw error.in(file: path)
    }
  }

  /// Adds the embeddings of a gallery, which the same bundle has computed.
  package mutating func add(_ gallery: InMemoryGallery) throws(ModelError) {
    for (index, entry) in gallery.entries.enumerated() {
      try check(entry.name)
      let name = "\(entry.name) \(index + 1)"
      try Self.check(entry.embedding.values, expecting: examples.first?.embedding.count)
      append(TaughtExample(label: entry.name, name: name, embedding: entry.embedding.values))
    }
  }

  /// Removes a class or an example, which have no influence on what is fitted afterwards.
  ///
  /// - Parameter name: The name of a class, ``unknownLabel`` for the examples of no class, or the name of an example as in
  ///   reports.
  /// - Returns: The number of removed examples.
  @discardableResult
  public mutating func remove(_ name: String) -> Int {
    let before = examples.count
    if name == Self.unknownLabel || classes.contains(name) {
      if options.classes == nil { classes.removeAll { $0 == name } }
      examples.removeAll { $0.label == name }
    } else {
      let labels = Set(examples.filter { $0.name == name }.map(\.label))
      examples.removeAll { $0.name == name }
      if options.classes == nil {
        classes.removeAll { label in
          labels.contains(label) && !examples.contains { $0.label == label }
        }
      }
    }
    updateKnownExamples()
    return before - examples.count
  }

  private mutating func add(_ data: TeachingData, from path: String) throws(ModelError) {
    for label in data.labels { try check(label) }
    dataPaths.append(path)
    warnings += data.warnings
    var cache = options.cacheFolder.flatMap(EmbeddingCache.init)
    defer { cache?.flush() }
    for (index, item) in data.items.enumerated() {
      if Task.isCancelled { throw ModelError(.run, .cancelled) }
      do throws(ModelError) {
        let input = try item.read()
        let digest = hasher.key(of: input)
        let cached = cache?.embedding(digest)
        let embedding = if let cached { cached } else { try embedding(of: input) }
        if cached == nil { cache?.add(embedding, digest) }
        append(
          TaughtExample(label: item.label, name: item.name, digest: digest, embedding: embedding),
          .item(item))
      } catch {
        skipped.append(SkippedExample(name: item.name, error: error))
      }
      onProgress?(index + 1, data.items.count)
    }
  }

  /// Adds an example unless there is one with the same input and label.
  ///
  /// - Parameters:
  ///   - example: The example.
  ///   - input: The input; `nil` if only the embedding is known. One of a taught bundle can be added later, for a training.
  private mutating func append(_ example: TaughtExample, _ input: ExampleInput? = nil) {
    let isKnown = completesKnownExample(by: example, input)
    if keepsInputs, let input { inputs[example.digest] = input }
    if isKnown { return }
    if let index = known[.digest(example.digest)] ?? known[.embedding(example.embedding)] {
      guard examples[index].label != example.label else {
        return duplicates.append((example.name, examples[index].name))
      }
      conflicts.append((example.name, examples[index].name))
    }
    if example.label != Self.unknownLabel, !classes.contains(example.label) {
      classes.append(example.label)
    }
    examples.append(example)
    addIdentities(of: examples.count - 1)
  }

  /// Gives an example of which only the embedding is known the digest of its input, and returns whether there is one.
  private mutating func completesKnownExample(
    by example: TaughtExample, _ input: ExampleInput?
  ) -> Bool {
    guard keepsInputs, input != nil,
      let index = known[.digest(example.digest)] ?? known[.embedding(example.embedding)],
      examples[index].label == example.label, inputs[examples[index].digest] == nil
    else { return false }
    examples[index].digest = example.digest
    addIdentities(of: index)
    return true
  }

  private func check(_ label: String) throws(ModelError) {
    try Self.check(label)
    guard let agreed = options.classes, label != Self.unknownLabel, !agreed.contains(label) else {
      return
    }
    throw ModelError(
      .input,
      .invalidValue("'\(label)' is not one of the classes \(agreed.joined(separator: ", "))"))
  }

  private static func check(_ label: String) throws(ModelError) {
    guard !label.isEmpty, !label.contains(where: \.isNewline) else {
      throw ModelError(.input, .invalidValue("the label '\(label)' is empty or has several lines"))
    }
  }

  /// Checks a list of classes, which has to contain those of a taught bundle.
  private static func checkAgreed(
    _ agreed: [String], containing known: [String]
  ) throws(ModelError) {
    for label in agreed { try check(label) }
    guard agreed.count > 1, Set(agreed).count == agreed.count, !agreed.contains(unknownLabel) else {
      throw ModelError(
        .input,
        .invalidValue(
          "the classes have to be at least two different ones, without '\(unknownLabel)'"))
    }
    if let label = known.first(where: { !agreed.contains($0) }) {
      throw ModelError(
        .input, .invalidValue("the list of classes lacks '\(label)' of the taught bundle"))
    }
  }

  /// Returns the embedding of an input.
  private func embedding(of input: ModelInput) throws(ModelError) -> [Float] {
    let values = try backbone.model.run(input).embedding.values
    try Self.check(values, expecting: examples.first?.embedding.count)
    return values
  }

  private static func check(_ embedding: [Float], expecting count: Int?) throws(ModelError) {
    guard count == nil || embedding.count == count else {
      throw ModelError(.output, .wrongCount(expected: count ?? 0, actual: embedding.count))
    }
    guard embedding.allSatisfy(\.isFinite), embedding.contains(where: { $0 != 0 }) else {
      throw ModelError(
        .output, .invalidValue("the embedding has a number that is not finite, or only zeros"))
    }
  }
}
