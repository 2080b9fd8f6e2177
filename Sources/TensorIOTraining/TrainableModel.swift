import Synchronization
public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// A model, open and ready to be trained.
///
///     let model = try TrainableModel(bundleAt: "cats-vs-dogs.tiobundle")
///     for _ in 0..<100 {
///       let results = try model.train(batch)
///       print(try results.value(of: "loss", as: Double.self))
///     }
///     try model.export(to: "my-cats-vs-dogs.tiobundle")
///
/// ``Trainer`` makes epochs of it. The model may be shared between threads; its steps follow one
/// another.
public final class TrainableModel: Sendable {
  /// The bundle that the model was opened from.
  public let bundle: ModelBundle
  /// What is doubtful about the bundle, and harmless.
  public let warnings: [Diagnostic]
  /// The tensors that the model itself has.
  public let signature: ModelSignature

  let weights: TrainedWeights
  let batchCodec: BatchCodec
  let description: ModelDescription
  let options: Model.Options
  let backend: any Backend
  private let sessions: SessionPool
  private let modelsByMode = Mutex<[ModelMode: any RuntimeModel]>([:])
  private let cachedEvaluationModel = Mutex<Model?>(nil)

  /// Opens a bundle in a runtime that can train it.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: Model.Options = Model.Options()
  ) throws(ModelError) {
    let (runtime, warnings, (description, plan)) = try bundle.withUnchangedFiles { () throws(ModelError) in
      try bundle.trainable(on: backend, options)
    }
    do {
      let threads = SessionOptions(threads: options.threads)
      sessions = try SessionPool(capacity: 1, timeout: options.sessionTimeout) {
        () throws(ModelError) in try runtime.makeTrainingSession(threads)
      }
    } catch {
      throw error.in(file: bundle.path)
    }
    self.bundle = bundle
    self.backend = backend
    self.options = options
    (self.warnings, self.description, self.batchCodec) = (warnings, description, plan)
    signature = runtime.signature
    weights = TrainedWeights(runtime)
  }

  /// What goes in when the model is trained, in order.
  public var inputs: [Layer] { description.inputs }
  /// What comes out when the model is trained, in order.
  public var outputs: [Layer] { description.outputs }
  /// What may go in besides, such as a learning rate.
  public var placeholders: [Layer] { description.placeholders }

  /// Takes one step of training with a batch, in the calling thread.
  ///
  /// The outputs, such as the loss, are those of the weights after the step. To report those that
  /// the step itself began with costs less.
  @discardableResult
  public func train(
    _ batch: Batch, placeholders: Placeholders = [:], reporting moment: StepOutputTiming = .afterStep
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      guard let session = session as? any TrainingSession else {
        throw ModelError(.runtime, .unsupported("training in a session that only runs"))
      }
      try batchCodec.encode(batch, placeholders, into: session)
      return try step(session, items: batch.count, moment)
    }
  }

  /// Takes one step of training with each of some batches.
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

  /// The outputs for a batch with the weights as they are: those of the mode `eval` where the
  /// bundle has it, else those of training without a step.
  public func evaluate(
    _ batch: Batch, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    try evaluationModel().run(batch, placeholders: placeholders)
  }

  /// The model for predictions, with the weights that it has whenever it is run.
  public func predictionModel() throws(ModelError) -> Model { try model(in: .predict) }
}

extension TrainableModel {
  /// A step with what a session has been filled with.
  func step(
    _ session: any TrainingSession, items count: Int, _ moment: StepOutputTiming
  ) throws(ModelError) -> ModelOutput {
    try weights.train { () throws(ModelError) in try session.train(moment) }
    return moment == .never ? .empty : try batchCodec.decodeOutputs(of: session, itemCount: count)
  }

  /// The model that ``evaluate(_:placeholders:)`` runs, opened when it is first wanted.
  func evaluationModel() throws(ModelError) -> Model {
    if let model = cachedEvaluationModel.withLock({ $0 }) { return model }
    let model =
      try bundle.description.modes.contains(.evaluate)
      ? model(in: .evaluate) : model(running: weights.model, in: .train)
    return cachedEvaluationModel.withLock { evaluator in
      evaluator = evaluator ?? model
      return evaluator ?? model
    }
  }

  private func model(in mode: ModelMode) throws(ModelError) -> Model {
    guard bundle.description.modes.contains(mode) else {
      throw ModelError(
        .bundle, .unsupported("the mode '\(mode.rawValue)', which the bundle does not list,"),
        file: bundle.path)
    }
    return try model(running: runtimeModel(for: mode), in: mode)
  }

  private func model(
    running model: any RuntimeModel, in mode: ModelMode
  ) throws(ModelError) -> Model {
    var options = options
    options.mode = mode
    return try Model(
      allowingReplaced: bundle, on: PreloadedBackend(identifier: backend.identifier, model: model),
      options: options)
  }

  /// The model of another mode, whose weights are the trained ones.
  func runtimeModel(for mode: ModelMode) throws(ModelError) -> any RuntimeModel {
    if let model = modelsByMode.withLock({ $0[mode] }) { return model }
    let shared = try weightSharingModel(for: mode)
    let model = if let shared { shared } else { try syncedModel(in: mode) }
    return modelsByMode.withLock { others in
      others[mode] = others[mode] ?? model
      return others[mode] ?? model
    }
  }

  /// The model of a mode that uses the very file that is trained.
  private func weightSharingModel(for mode: ModelMode) throws(ModelError) -> (any RuntimeModel)? {
    guard bundle.description.resolved(for: mode).modelFile == description.modelFile else { return nil }
    return try weights.model.sharingWeights(for: binding(in: mode))
  }

  private func binding(in mode: ModelMode) -> ModelBinding {
    ModelBinding(bundle.description, mode: mode, threads: options.threads)
  }

  private func syncedModel(in mode: ModelMode) throws(ModelError) -> any RuntimeModel {
    let model = try bundle.load(for: mode, threads: options.threads, on: backend)
    guard let model = model as? any TrainableRuntimeModel else {
      throw ModelError(.runtime, .unsupported("taking over trained weights"), file: bundle.path)
    }
    return WeightSyncedModel(model, syncedWith: weights)
  }
}

extension ModelBundle {
  fileprivate typealias Trainable = (
    runtime: any TrainableRuntimeModel, warnings: [Diagnostic], plan: (ModelDescription, BatchCodec)
  )

  /// The model to train, and all that the bundle says of its training.
  fileprivate func trainable(
    on backend: any Backend, _ options: Model.Options
  ) throws(ModelError) -> Trainable {
    let runtime = try trainable(on: backend, threads: options.threads)
    do {
      let warnings = try warnings(for: runtime, in: .train)
      return (runtime, warnings, try trainingCodec(runtime.signature, options))
    } catch {
      throw error.in(file: path)
    }
  }

  /// The model to train, in a runtime that can.
  fileprivate func trainable(
    on backend: any Backend, threads: Int
  ) throws(ModelError) -> any TrainableRuntimeModel {
    guard description.modes.contains(.train), !isPlaceholder else {
      throw ModelError(
        .bundle, .unsupported("the mode 'train', which the bundle does not list,"), file: path)
    }
    guard
      let model = try load(for: .train, threads: threads, on: backend)
        as? any TrainableRuntimeModel
    else {
      throw ModelError(
        .runtime, .unsupported("training in the runtime '\(backend.identifier)'"), file: path)
    }
    return model
  }

  fileprivate func trainingCodec(
    _ signature: ModelSignature, _ options: Model.Options
  ) throws(ModelError) -> (ModelDescription, BatchCodec) {
    let description = description.resolved(for: .train).overridden(by: options)
    let plan = BatchCodec(
      description, labels: try outputLabels(of: description), signature, options,
      labelCounts: try labelCounts(of: description))
    return (description, plan)
  }

  /// How many labels the numbers of an input count: those of the only labelled prediction, for what
  /// goes in one number an item besides what predictions take.
  private func labelCounts(of training: ModelDescription) throws(ModelError) -> [String: Int] {
    guard description.modes.contains(.predict) else { return [:] }
    let predicting = description.resolved(for: .predict)
    let labels = try outputLabels(of: predicting).filter { !$0.isEmpty }
    guard let only = labels.first, labels.count == 1 else { return [:] }
    let names = training.inputs.filter { layer in
      layer.elementCount == 1 && !predicting.inputs.contains { $0.name == layer.name }
    }.map(\.name)
    return Dictionary(names.map { ($0, only.count) }, uniquingKeysWith: { $1 })
  }
}

/// What the files of a checkpoint are called, as the original library called them.
enum CheckpointFiles {
  /// What the names of all of them begin with.
  static let prefix = "checkpoint"
  /// What the name of the file that tells of the others ends in.
  static let indexSuffix = ".index"
}

extension TrainableModel {
  /// Writes the weights into a folder, as `checkpoint.index` and `checkpoint.data-…`.
  ///
  /// A folder that is there already keeps its other files; the files of an older checkpoint are
  /// replaced one after the other. A new folder appears with the whole checkpoint.
  public func saveCheckpoint(to folder: String) throws(ModelError) {
    guard FileKind(at: folder) == .directory else {
      return try AtomicDirectoryWriter.write(folder) { (staging) throws(ModelError) in
        try saveWeights(into: staging)
      }
    }
    let staging = folder + "/" + AtomicReplace.stagingPath(for: CheckpointFiles.prefix)
    defer { FileSystem.remove(staging) }
    try AtomicDirectoryWriter.mapFileErrors(at: folder) { () throws(FileError) in try FileSystem.createDirectory(staging) }
    try saveWeights(into: staging)
    try AtomicDirectoryWriter.mapFileErrors(at: folder) { () throws(FileError) in
      try FileSystem.sync(staging)
      // The index comes last: it speaks of the others.
      let names = try FileSystem.entryNames(in: staging)
      let isIndex = { (name: String) in name.hasSuffix(CheckpointFiles.indexSuffix) }
      for name in names.filter({ !isIndex($0) }) + names.filter(isIndex) {
        try FileSystem.move(staging + "/" + name, to: folder + "/" + name)
      }
    }
  }

  /// Takes the weights from a folder with a checkpoint.
  public func restoreCheckpoint(from folder: String) throws(ModelError) {
    try weights.mutate { () throws(ModelError) in
      try weights.model.restoreWeights(from: folder + "/" + CheckpointFiles.prefix)
    }
  }

  /// Writes the files of a checkpoint into a folder that is there.
  func saveWeights(into folder: String) throws(ModelError) {
    try weights.withLock { (_) throws(ModelError) in
      try weights.model.saveWeights(to: folder + "/" + CheckpointFiles.prefix)
    }
  }
}
