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
  /// What the model does.
  public let mode: ModelMode
  /// What the bundle says of the model in its mode.
  package let description: ModelDescription
  let pipeline: Pipeline?
  /// The application's own model, where the bundle asks for one.
  let runner: (any ModelRunner)?

  /// Opens a bundle in a runtime.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: Options = Options()
  ) throws(ModelError) {
    self = try bundle.made { () throws(ModelError) in
      try Model(unguarded: bundle, on: backend, options: options)
    }
  }

  /// Opens a bundle whose place another one may have taken, as one that is trained and exported may.
  init(
    unguarded bundle: ModelBundle, on backend: any Backend, options: Options
  ) throws(ModelError) {
    self.bundle = bundle
    runner = nil
    mode = options.mode ?? bundle.description.firstMode
    description = bundle.description.opened(with: options)
    guard !bundle.description.isPlaceholder else {
      (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
      return
    }
    // What a runtime keeps for all sessions serves all of them at the same time.
    let threads = options.threads * options.sessions
    let model = try bundle.load(for: mode, threads: threads, on: backend)
    do {
      warnings = try bundle.warnings(model, in: mode)
      pipeline = try Pipeline(description, labels: bundle.labels(of: description), model, options)
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
    mode = bundle.description.firstMode
    description = bundle.description.inMode(mode)
    (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
  }

  /// Makes all sessions now, which otherwise come when they are first needed.
  package func makeSessions() throws(ModelError) { try pipeline?.sessions.fill() }

  /// What goes in, in order.
  public var inputs: [Layer] { description.inputs }
  /// What a caller gives: the inputs without those that take up the model's own state.
  public var askedInputs: [Layer] { description.askedInputs }
  /// What the model remembers from one run to the next.
  public var state: [StateLink] { description.state }
  /// What comes out, in order.
  public var outputs: [Layer] { description.outputs }
  /// What may go in besides, such as a learning rate.
  public var placeholders: [Layer] { description.placeholders }

  /// Runs the model in the calling thread and waits for the answer.
  ///
  /// This costs no more than the work itself. In an async function, where a long run would hold
  /// up other tasks, use ``submit(_:placeholders:)``.
  public func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    try run(input, placeholders: [:])
  }

  /// Runs the model with values for some of its placeholders.
  ///
  ///     try model.run(["x": 1], placeholders: ["rate": 0.1])
  ///
  /// The others have the values that the bundle gives them. They may as well stand in a dictionary
  /// of inputs, beside those.
  public func run(
    _ input: ModelInput, placeholders: Placeholders
  ) throws(ModelError) -> ModelOutput {
    var untimed = Stopwatch.off
    return try run(input, placeholders, &untimed)
  }

  /// Runs the model in the calling thread and waits for the answer.
  public func run(_ input: some ModelInputConvertible) throws(ModelError) -> ModelOutput {
    try run(input.modelInput)
  }

  /// Runs the model and says where the time went.
  public func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    var stopwatch = Stopwatch.started()
    defer { timings = stopwatch.timings }
    return try run(input.modelInput, placeholders, &stopwatch)
  }

  /// Runs the model on a queue of its own and suspends until the answer is there.
  ///
  /// A task that is cancelled while it waits for its turn throws ``ModelError/Reason/cancelled``;
  /// a run that has begun ends.
  public func submit(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> ModelOutput {
    let input = input.modelInput
    guard let pipeline else {
      return try await WorkThread.perform { () throws(ModelError) in
        try run(input, placeholders: placeholders)
      }
    }
    return try await pipeline.submit(input, placeholders)
  }
}

extension Model {
  /// One run; what needs no runtime is timed as a whole.
  func run(
    _ input: ModelInput, _ placeholders: Placeholders = [:], _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      defer { stopwatch.stop() }
      defer { stopwatch.lap(\.run) }
      guard let runner else { return .empty }
      return try runner.run(input.joined(with: placeholders))
    }
    return try pipeline.run(input, placeholders, &stopwatch)
  }
}
