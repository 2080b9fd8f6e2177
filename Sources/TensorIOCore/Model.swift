/// A model, open and ready to run.
///
/// A model may be shared between threads and tasks: it lends its sessions, of which it has one
/// unless ``Options/sessions`` says otherwise, to one caller at a time.
public struct Model: Sendable {
  /// The bundle that the model was opened from.
  public let bundle: ModelBundle
  /// What is doubtful about the bundle, and harmless.
  public let warnings: [Problem]
  /// The tensors that the model itself has; `nil` in a placeholder, which has no model.
  public let signature: ModelSignature?
  let pipeline: Pipeline?
  /// The application's own model, where the bundle asks for one.
  let runner: (any ModelRunner)?

  /// Opens a bundle in a runtime.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: Options = Options()
  ) throws(ModelError) {
    self.bundle = bundle
    runner = nil
    guard !bundle.description.isPlaceholder else {
      (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
      return
    }
    let mode = options.mode ?? bundle.description.firstMode
    let file = try bundle.modelFile(for: mode)
    let use = ModelUse(bundle.description, mode: mode, threads: options.threads)
    let model = try backend.load(file, for: use)
    let description = bundle.description.inMode(mode).overridden(by: options)
    let labels = try description.outputs.map { (layer) throws(ModelError) in
      layer.isLabelledByPlace ? try bundle.labels(for: layer) : []
    }
    do {
      warnings =
        bundle.warnings + bundle.placed(model.warnings)
        + (try description.matched(to: model.signature, in: bundle))
      pipeline = try Pipeline(description, labels: labels, model, options)
    } catch {
      throw error.in(file: bundle.path)
    }
    signature = model.signature
  }

  /// Opens a bundle that is run by a model of the application's own.
  ///
  /// This is what happens to a bundle whose `class` is registered in a ``ModelRegistry``.
  public init(_ bundle: ModelBundle, running runner: any ModelRunner) {
    self.bundle = bundle
    self.runner = runner
    (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
  }

  /// What goes in, in order.
  public var inputs: [Layer] { bundle.description.inputs }
  /// What comes out, in order.
  public var outputs: [Layer] { bundle.description.outputs }

  /// Runs the model in the calling thread and waits for the answer.
  ///
  /// This costs no more than the work itself. In an async function, where a long run would hold
  /// up other tasks, use ``submit(_:)``.
  public func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    var untimed = Stopwatch.off
    return try run(input, &untimed)
  }

  /// Runs the model in the calling thread and waits for the answer.
  public func run(_ input: some ModelInputConvertible) throws(ModelError) -> ModelOutput {
    try run(input.modelInput)
  }

  /// Runs the model and says where the time went.
  public func run(
    _ input: some ModelInputConvertible, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    var stopwatch = Stopwatch.started()
    defer { timings = stopwatch.timings }
    return try run(input.modelInput, &stopwatch)
  }

  /// Runs the model on a queue of its own and suspends until the answer is there.
  ///
  /// A task that is cancelled while it waits for its turn throws ``ModelError/Reason/cancelled``;
  /// a run that has begun ends.
  public func submit(
    _ input: some ModelInputConvertible
  ) async throws(ModelError) -> ModelOutput {
    let input = input.modelInput
    guard let pipeline else {
      return try await WorkThread.perform { () throws(ModelError) in try run(input) }
    }
    return try await pipeline.submit(input)
  }
}

extension Model {
  /// One run; what needs no runtime is timed as a whole.
  func run(
    _ input: ModelInput, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      defer { stopwatch.stop() }
      defer { stopwatch.lap(\.run) }
      return try runner?.run(input) ?? .empty
    }
    return try pipeline.run(input, &stopwatch)
  }
}
