internal import Synchronization

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
  public let warnings: [Problem]
  /// The tensors that the model itself has.
  public let signature: ModelSignature

  let weights: TrainedWeights
  let plan: BatchPlan
  let description: ModelDescription
  let options: Model.Options
  let backend: any Backend
  private let sessions: SessionPool
  private let others = Mutex<[ModelMode: any RuntimeModel]>([:])
  private let evaluator = Mutex<Model?>(nil)

  /// Opens a bundle in a runtime that can train it.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: Model.Options = Model.Options()
  ) throws(ModelError) {
    let (runtime, warnings, (description, plan)) = try bundle.made { () throws(ModelError) in
      try bundle.trainable(on: backend, options)
    }
    do {
      let threads = SessionOptions(threads: options.threads)
      sessions = try SessionPool(capacity: 1, waitLimit: options.waitLimit) {
        () throws(ModelError) in try runtime.makeTrainingSession(threads)
      }
    } catch {
      throw error.in(file: bundle.path)
    }
    self.bundle = bundle
    self.backend = backend
    self.options = options
    (self.warnings, self.description, self.plan) = (warnings, description, plan)
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
    _ batch: Batch, placeholders: Placeholders = [:], reporting moment: OutputMoment = .afterStep
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      guard let session = session as? any TrainingSession else {
        throw ModelError(.runtime, .unsupported("training in a session that only runs"))
      }
      try plan.fill(batch, placeholders, into: session)
      return try step(session, items: batch.count, moment)
    }
  }

  /// Takes one step of training with each of some batches.
  @discardableResult
  public func train(
    _ batches: some Sequence<Batch>, placeholders: Placeholders = [:],
    reporting moment: OutputMoment = .afterStep
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
    try evaluating().run(batch, placeholders: placeholders)
  }

  /// The model for predictions, with the weights that it has whenever it is run.
  public func predictor() throws(ModelError) -> Model { try model(in: .predict) }
}

extension TrainableModel {
  /// A step with what a session has been filled with.
  func step(
    _ session: any TrainingSession, items count: Int, _ moment: OutputMoment
  ) throws(ModelError) -> ModelOutput {
    try weights.train { () throws(ModelError) in try session.train(moment) }
    return moment == .never ? .empty : try plan.outputs(of: session, items: count)
  }

  /// The model that ``evaluate(_:placeholders:)`` runs, opened when it is first wanted.
  func evaluating() throws(ModelError) -> Model {
    if let model = evaluator.withLock({ $0 }) { return model }
    let model =
      try bundle.description.modes.contains(.evaluate)
      ? model(in: .evaluate) : model(running: weights.model, in: .train)
    return evaluator.withLock { evaluator in
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
      unguarded: bundle, on: LoadedBackend(identifier: backend.identifier, model: model),
      options: options)
  }

  /// The model of another mode, whose weights are the trained ones.
  func runtimeModel(for mode: ModelMode) throws(ModelError) -> any RuntimeModel {
    if let model = others.withLock({ $0[mode] }) { return model }
    let shared = try shared(for: mode)
    let model = if let shared { shared } else { try following(in: mode) }
    return others.withLock { others in
      others[mode] = others[mode] ?? model
      return others[mode] ?? model
    }
  }

  /// The model of a mode that uses the very file that is trained.
  private func shared(for mode: ModelMode) throws(ModelError) -> (any RuntimeModel)? {
    guard bundle.description.inMode(mode).modelFile == description.modelFile else { return nil }
    return try weights.model.shared(for: use(in: mode))
  }

  private func use(in mode: ModelMode) -> ModelUse {
    ModelUse(bundle.description, mode: mode, threads: options.threads)
  }

  private func following(in mode: ModelMode) throws(ModelError) -> any RuntimeModel {
    let model = try bundle.load(for: mode, threads: options.threads, on: backend)
    guard let model = model as? any TrainableRuntimeModel else {
      throw ModelError(.runtime, .unsupported("taking over trained weights"), file: bundle.path)
    }
    return FollowingModel(model, following: weights)
  }
}

extension ModelBundle {
  fileprivate typealias Trainable = (
    runtime: any TrainableRuntimeModel, warnings: [Problem], plan: (ModelDescription, BatchPlan)
  )

  /// The model to train, and all that the bundle says of its training.
  fileprivate func trainable(
    on backend: any Backend, _ options: Model.Options
  ) throws(ModelError) -> Trainable {
    let runtime = try trainable(on: backend, threads: options.threads)
    do {
      let warnings = try warnings(runtime, in: .train)
      return (runtime, warnings, try trainingPlan(runtime.signature, options))
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

  fileprivate func trainingPlan(
    _ signature: ModelSignature, _ options: Model.Options
  ) throws(ModelError) -> (ModelDescription, BatchPlan) {
    let description = description.inMode(.train).overridden(by: options)
    let plan = BatchPlan(
      description, labels: try labels(of: description), signature, options,
      labelCounts: try labelCounts(of: description))
    return (description, plan)
  }

  /// How many labels the numbers of an input count: those of the only labelled prediction, for what
  /// goes in one number an item besides what predictions take.
  private func labelCounts(of training: ModelDescription) throws(ModelError) -> [String: Int] {
    guard description.modes.contains(.predict) else { return [:] }
    let predicting = description.inMode(.predict)
    let labels = try labels(of: predicting).filter { !$0.isEmpty }
    guard let only = labels.first, labels.count == 1 else { return [:] }
    let names = training.inputs.filter { layer in
      layer.elementCount == 1 && !predicting.inputs.contains { $0.name == layer.name }
    }.map(\.name)
    return Dictionary(names.map { ($0, only.count) }, uniquingKeysWith: { $1 })
  }
}
