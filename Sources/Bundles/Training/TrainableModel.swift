import Synchronization
public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// An opened model that is ready to be trained.
///
/// ```swift
/// import TensorIO
///
/// let model = try TrainableModel(at: "line.tiobundle")
/// var batch = Batch(keys: ["x", "y"])
/// try batch.append(["x": 0.5, "y": 2])
/// try batch.append(["x": 1, "y": 3])
/// for _ in 0..<100 {
///   let results = try model.train(batch)
///   print(try results.value(of: "loss", as: Double.self))
/// }
/// try model.export(to: "my-line.tiobundle")
/// ```
///
/// ``Trainer`` trains in epochs, with validation and checkpoints. The model can be shared between
/// threads; its training steps are serialized.
public final class TrainableModel: Sendable {
  /// The bundle that the model was opened from.
  public let bundle: ModelBundle
  /// The warnings found when the bundle was opened; they do not prevent training.
  public let warnings: [Diagnostic]
  /// The tensors of the loaded model.
  public let signature: ModelSignature

  let weights: TrainedWeights
  let batchCodec: BatchCodec
  let description: ModelDescription
  let options: OpeningOptions
  let backend: any Backend
  private let sessions: SessionPool
  private let modelsByMode = Mutex<[ModelMode: ModeModel]>([:])
  private let cachedEvaluationModel = Mutex<Model?>(nil)

  /// Opens a bundle for training in a given runtime.
  ///
  /// - Parameters:
  ///   - bundle: A bundle with the mode `train`.
  ///   - backend: The runtime to load the model in.
  ///   - options: The threads and image options. The mode is always `train`.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid or has no mode
  ///   `train`, and of the stage `runtime` if the runtime cannot train.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    let (runtime, warnings, (description, codec)) = try bundle.withUnchangedFiles {
      () throws(ModelError) in
      try bundle.trainable(on: backend, options)
    }
    do {
      let sessionOptions = SessionOptions(threads: options.threads)
      sessions = try SessionPool(capacity: 1, timeout: options.sessionTimeout) {
        () throws(ModelError) in try runtime.makeTrainingSession(sessionOptions)
      }
    } catch {
      throw error.in(file: bundle.path)
    }
    self.bundle = bundle
    self.backend = backend
    self.options = options
    (self.warnings, self.description, self.batchCodec) = (warnings, description, codec)
    signature = runtime.signature
    weights = TrainedWeights(runtime)
  }

  /// The training inputs, in order.
  public var inputs: [Layer] { description.inputs }
  /// The training inputs for one item, in order: without the number of items of a fixed batch.
  ///
  /// A dataset has values for these.
  public var itemInputs: [Layer] { description.inputs.itemLayers(in: signature.inputs) }
  /// The training outputs, such as the loss, in order.
  public var outputs: [Layer] { description.outputs }
  /// The optional inputs, such as a learning rate.
  public var placeholders: [Layer] { description.placeholders }

  /// Whether the training inputs take a fixed number of items.
  var hasFixedBatch: Bool { itemInputs.map(\.shape) != inputs.map(\.shape) }

  /// The names of the training inputs whose tensors hold strings.
  package var textInputs: Set<String> { batchCodec.textInputs }

  /// Performs one training step on a batch, on the calling thread.
  ///
  /// - Parameters:
  ///   - batch: The items, with a column for each training input.
  ///   - placeholders: Values by placeholder name.
  ///   - moment: Whether the outputs are computed with the updated weights, during the step, which
  ///     is faster, or not at all.
  /// - Returns: The training outputs, such as the loss; empty if they are not computed.
  /// - Throws: A ``ModelError`` if the batch does not fit the model or the step fails.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: Placeholders = [:],
    reporting moment: StepOutputTiming = .afterStep
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      try batchCodec.encode(batch, placeholders, into: session)
      return try step(session, items: batch.count, moment)
    }
  }

  /// Performs one training step on each batch, on the calling thread.
  ///
  /// - Returns: The training outputs of each step.
  /// - Throws: The ``ModelError`` of the first batch that fails.
  @discardableResult
  public func train(
    _ batches: some Sequence<Batch>, placeholders: Placeholders = [:],
    reporting moment: StepOutputTiming = .afterStep
  ) throws(ModelError) -> [ModelOutput] {
    var outputs: [ModelOutput] = []
    for batch in batches {
      outputs.append(try train(batch, placeholders: placeholders, reporting: moment))
    }
    return outputs
  }

  /// Returns the outputs for a batch without changing the weights.
  ///
  /// If the bundle has the mode `eval`, the outputs are those of that mode, otherwise those of
  /// training.
  ///
  /// - Parameters:
  ///   - batch: The items, with a column for each input.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if the batch does not fit the model or the run fails.
  public func evaluate(
    _ batch: Batch, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    try evaluationModel().evaluate(batch, placeholders: placeholders)
  }

  /// Returns a model for predictions, whose weights are always the current ones.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try TrainableModel(at: "line.tiobundle")
  /// let batch = try Batch([["x": 0.5, "y": 2], ["x": 1, "y": 3]])
  /// try model.train(batch)
  /// let output = try model.predictionModel().run(0.75)
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the bundle has no mode `predict`.
  public func predictionModel() throws(ModelError) -> Model { try model(in: .predict) }
}

extension TrainableModel {
  /// Performs a step with the tensors as a session has them.
  func step(
    _ session: any Session, items count: Int, _ moment: StepOutputTiming
  ) throws(ModelError) -> ModelOutput {
    let train = try session.trainingStep()
    try weights.train { () throws(ModelError) in try train(moment) }
    return moment == .never ? .empty : try batchCodec.decodeOutputs(of: session, itemCount: count)
  }

  /// Returns the model for ``evaluate(_:placeholders:)``, which is opened on first use.
  func evaluationModel() throws(ModelError) -> Model {
    if let model = cachedEvaluationModel.withLock({ $0 }) { return model }
    let model =
      try bundle.description.modes.contains(.evaluate)
      ? model(in: .evaluate) : model(running: weights.model, in: .train)
    return cachedEvaluationModel.withLock { cached in
      cached = cached ?? model
      return cached ?? model
    }
  }

  private func model(in mode: ModelMode) throws(ModelError) -> Model {
    guard bundle.description.modes.contains(mode) else {
      throw ModelError(
        .bundle, .missingMode(mode, of: bundle.description), file: bundle.path)
    }
    return try model(running: modeModel(mode).runtime, in: mode)
  }

  private func model(
    running model: any RuntimeModel, in mode: ModelMode
  ) throws(ModelError) -> Model {
    var options = options
    options.mode = mode
    return try Model(
      allowingReplaced: bundle, on: backend, options: options, loaded: model)
  }

  /// The model of a mode, which uses the trained weights.
  struct ModeModel: Sendable {
    /// The model as loaded: it shares the trained weights, or has a copy of them.
    let model: any RuntimeModel
    /// The model that updates the copy before each run; `nil` if the weights are shared.
    var synced: WeightSyncedModel?

    /// The model to run.
    var runtime: any RuntimeModel { synced ?? model }
  }

  /// Returns the model of another mode.
  func modeModel(_ mode: ModelMode) throws(ModelError) -> ModeModel {
    if let model = modelsByMode.withLock({ $0[mode] }) { return model }
    let shared = try weightSharingModel(for: mode)
    let model = if let shared { ModeModel(model: shared) } else { try syncedModel(in: mode) }
    return modelsByMode.withLock { models in
      models[mode] = models[mode] ?? model
      return models[mode] ?? model
    }
  }

  /// Returns a model that shares the weights in memory; `nil` if the mode has another file or
  /// graph.
  private func weightSharingModel(for mode: ModelMode) throws(ModelError) -> (any RuntimeModel)? {
    guard bundle.description.resolved(for: mode).modelFile == description.modelFile else {
      return nil
    }
    return try weights.model.sharingWeights(for: binding(in: mode))
  }

  private func binding(in mode: ModelMode) -> ModelBinding {
    ModelBinding(bundle.description, mode: mode, threads: options.threads)
  }

  private func syncedModel(in mode: ModelMode) throws(ModelError) -> ModeModel {
    let model = try bundle.load(for: mode, threads: options.threads, on: backend)
    guard let model = model.abilities.training else {
      throw ModelError(.runtime, .unsupported("loading trained weights"), file: bundle.path)
    }
    return ModeModel(model: model, synced: WeightSyncedModel(model, syncedWith: weights))
  }
}

extension RuntimeModel {
  /// Creates a session that can train.
  func makeTrainingSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    let session = try makeSession(options)
    _ = try session.trainingStep()
    return session
  }
}

extension Session {
  /// Returns the function that performs a training step.
  fileprivate func trainingStep() throws(ModelError) -> (
    @Sendable (StepOutputTiming) throws(ModelError) -> Void
  ) {
    guard let train = abilities.train else {
      throw ModelError(.runtime, .unsupported("training without training operations"))
    }
    return train
  }
}

extension ModelBundle {
  fileprivate typealias TrainingSetup = (
    runtime: any TrainableRuntimeModel, warnings: [Diagnostic],
    codec: (ModelDescription, BatchCodec)
  )

  /// Loads the model for training, with its description, warnings and codec.
  fileprivate func trainable(
    on backend: any Backend, _ options: OpeningOptions
  ) throws(ModelError) -> TrainingSetup {
    let runtime = try trainable(on: backend, threads: options.threads)
    do {
      let warnings = try warnings(for: runtime, in: .train)
      return (runtime, warnings, try trainingCodec(runtime.signature, options))
    } catch {
      throw error.in(file: path)
    }
  }

  /// Loads the model for training; throws if the runtime cannot train.
  fileprivate func trainable(
    on backend: any Backend, threads: Int
  ) throws(ModelError) -> any TrainableRuntimeModel {
    guard description.modes.contains(.train), !isPlaceholder else {
      throw ModelError(.bundle, .missingMode(.train, of: description), file: path)
    }
    guard let model = try load(for: .train, threads: threads, on: backend).abilities.training
    else {
      throw ModelError(
        .runtime, .unsupported("training in the runtime '\(backend.identifier)'"), file: path)
    }
    return model
  }

  fileprivate func trainingCodec(
    _ signature: ModelSignature, _ options: OpeningOptions
  ) throws(ModelError) -> (ModelDescription, BatchCodec) {
    let description = description.resolved(for: .train).overridden(by: options)
    let codec = BatchCodec(
      description, labels: try outputLabels(of: description), signature, options,
      labelCounts: try labelCounts(of: description.inputs.itemLayers(in: signature.inputs)))
    return (description, codec)
  }

  /// Returns the number of labels for inputs with one number per item that predictions do not have.
  ///
  /// It is known if predictions have exactly one labeled output.
  private func labelCounts(of inputs: [Layer]) throws(ModelError) -> [String: Int] {
    guard description.modes.contains(.predict) else { return [:] }
    let predicting = description.resolved(for: .predict)
    let labels = try outputLabels(of: predicting).map(\.names).filter { !$0.isEmpty }
    guard let classes = labels.first, labels.count == 1 else { return [:] }
    let names = inputs.filter { layer in
      layer.elementCount == 1 && !predicting.inputs.contains { $0.name == layer.name }
    }.map(\.name)
    return Dictionary(names.map { ($0, classes.count) }, uniquingKeysWith: { $1 })
  }
}

/// The file names of a checkpoint, which are those of TensorIO for iOS.
enum CheckpointFiles {
  /// The prefix of all file names.
  static let prefix = "checkpoint"
  /// The suffix of the index file, which refers to the other files.
  static let indexSuffix = ".index"
}

extension TrainableModel {
  /// Writes the weights to a folder, as `checkpoint.index` and `checkpoint.data-…`.
  ///
  /// A new folder appears atomically. In an existing folder, the files of an earlier checkpoint are
  /// replaced one by one, and other files are kept.
  ///
  /// - Parameter folder: The path of the folder.
  /// - Throws: ``ModelError/unwritable`` if the files cannot be written.
  public func saveCheckpoint(to folder: String) throws(ModelError) {
    guard FileKind(at: folder) == .directory else {
      return try AtomicDirectoryWriter.write(folder) { (staging) throws(ModelError) in
        try saveWeights(into: staging)
      }
    }
    let staging = folder + "/" + AtomicReplace.stagingPath(for: CheckpointFiles.prefix)
    defer { FileSystem.remove(staging) }
    try AtomicDirectoryWriter.mapFileErrors(at: folder) { () throws(FileError) in
      try FileSystem.createDirectory(staging)
    }
    try saveWeights(into: staging)
    try AtomicDirectoryWriter.mapFileErrors(at: folder) { () throws(FileError) in
      try FileSystem.sync(staging)
      // The index is moved last, since it refers to the other files.
      let names = try FileSystem.entryNames(in: staging)
      let isIndex = { (name: String) in name.hasSuffix(CheckpointFiles.indexSuffix) }
      for name in names.filter({ !isIndex($0) }) + names.filter(isIndex) {
        try FileSystem.move(staging + "/" + name, to: folder + "/" + name)
      }
    }
  }

  /// Reads the weights from a folder with a checkpoint.
  ///
  /// - Parameter folder: The path of a folder written by ``saveCheckpoint(to:)``.
  /// - Throws: A ``ModelError`` if the checkpoint cannot be read or belongs to another model.
  public func restoreCheckpoint(from folder: String) throws(ModelError) {
    try weights.mutate { () throws(ModelError) in
      try weights.model.restoreWeights(from: folder + "/" + CheckpointFiles.prefix)
    }
  }

  /// Writes the files of a checkpoint into an existing folder.
  func saveWeights(into folder: String) throws(ModelError) {
    try weights.withLock { (_) throws(ModelError) in
      try weights.model.saveWeights(to: folder + "/" + CheckpointFiles.prefix)
    }
  }
}

extension ModelError.Reason {
  /// Returns the reason for a mode that a bundle does not declare.
  fileprivate static func missingMode(
    _ mode: ModelMode, of description: ModelDescription
  ) -> ModelError.Reason {
    let modes = description.modes.map(\.rawValue).sorted().joined(separator: ", ")
    let declared = description.isPlaceholder ? "it is a placeholder" : "its modes are \(modes)"
    return .unmetRequirement(
      "the bundle does not declare the mode '\(mode.rawValue, as: "mode")'; \(declared, as: "declared")"
    )
  }
}
