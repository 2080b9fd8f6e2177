public import TensorIOBundle
import TensorIOSystem

/// An opened model that is ready to run.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "mobilenet.tiobundle")
/// let image = try ImageBuffer(contentsOf: "cat.jpg")
/// for entry in try model.run(image).classes { print(entry.label, entry.score) }
/// ```
///
/// A model can be shared between threads and tasks. It lends each of its sessions to one caller at
/// a time; ``OpeningOptions/sessions`` sets how many runs can proceed at the same time, one by
/// default.
///
/// `run` blocks the calling thread, and `submit` suspends the task. Each takes one input, or
/// several as `batch:`.
public struct Model: Sendable {
  /// The bundle that the model was opened from.
  public let bundle: ModelBundle
  /// The warnings found when the bundle was opened; they do not prevent running the model.
  public let warnings: [Diagnostic]
  /// The tensors of the loaded model; `nil` for a placeholder bundle and for a ``ModelRunner``.
  public let signature: ModelSignature?
  /// The mode that the model was opened for.
  public let mode: ModelMode
  /// Other models of the bundle by name, such as the encoders of images and of texts.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "clip.tiobundle")
  /// let text = try model.functions["text"]?.run("a photo of a cat")
  /// ```
  public let functions: [String: Model]
  /// The bundle's description, resolved for ``mode`` and with the caller's options applied.
  package var description: ModelDescription { info.description }
  /// What the model's outputs refer to.
  package let info: ModelInfo
  let pipeline: InferencePipeline?
  /// The number of runs that can proceed at the same time.
  package let sessionCount: Int
  /// The application's own model, if the bundle's `class` is registered.
  package let runner: (any ModelRunner)?
  /// The runtime that the model was loaded in; `nil` for an application's own model.
  package let backend: (any Backend)?

  /// Opens a bundle in a given runtime.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to open.
  ///   - backend: The runtime to load the model in.
  ///   - options: The mode, threads, sessions and image options.
  ///   - loaded: The model, if it is loaded already; its functions are loaded.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid, does not match the
  ///   model or has changed on disk, and of the stage `runtime` if the model cannot be loaded.
  package init(
    _ bundle: ModelBundle, on backend: any Backend, options: OpeningOptions = OpeningOptions(),
    loaded: (any RuntimeModel)? = nil
  ) throws(ModelError) {
    self = try bundle.withUnchangedFiles { () throws(ModelError) in
      try Model(allowingReplaced: bundle, on: backend, options: options, loaded: loaded)
    }
  }

  /// Opens a bundle whose files may have been replaced since it was read.
  ///
  /// Training needs this: an export can overwrite the bundle that the model was opened from.
  package init(
    allowingReplaced bundle: ModelBundle, on backend: any Backend, options: OpeningOptions,
    loaded: (any RuntimeModel)? = nil
  ) throws(ModelError) {
    (self.bundle, self.backend) = (bundle, backend)
    sessionCount = options.sessions
    mode = options.mode ?? bundle.description.defaultMode
    let description = bundle.description.effective(for: options)
    guard !bundle.description.isPlaceholder else {
      info = ModelInfo(bundle, description)
      (warnings, signature, pipeline, runner) = (bundle.warnings, nil, nil, nil)
      functions = [:]
      return
    }
    // Some runtimes share one thread pool between all sessions of a model.
    let threads = options.threads * options.sessions
    let model =
      if let loaded {
        loaded
      } else {
        try bundle.load(for: mode, threads: threads, sessions: options.sessions, on: backend)
      }
    var functions: [String: Model] = [:]
    for (name, function) in bundle.functions {
      functions[name] = try Model(allowingReplaced: function, on: backend, options: options)
    }
    self.functions = functions
    do {
      warnings = try bundle.warnings(for: model, in: mode)
      info = try ModelInfo(readingLabelsOf: bundle, description)
      if description.caches.isEmpty {
        let single = try InferencePipeline(
          description, labels: bundle.outputLabels(of: description),
          tokenizers: bundle.tokenizers(of: description), functions: functions, model, options)
        runner = try info.repeatingRunner(for: single)
        pipeline = runner == nil ? single : nil
      } else {
        runner = try info.stepRunner(for: model, functions)
        pipeline = nil
      }
    } catch {
      throw error.in(file: bundle.path)
    }
    signature = model.signature
  }

  /// Opens a bundle with the application's own model.
  ///
  /// A ``ModelRegistry`` does this for a bundle whose `class` is registered.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to open.
  ///   - runner: The model that computes the outputs.
  ///   - options: The mode to open the bundle for. The other options are for runtimes; the runner's
  ///     factory receives them from the registry.
  package init(
    _ bundle: ModelBundle, runner: any ModelRunner, options: OpeningOptions = OpeningOptions()
  ) {
    self.bundle = bundle
    (self.runner, backend) = (runner, nil)
    sessionCount = options.sessions
    mode = options.mode ?? bundle.description.defaultMode
    info = ModelInfo(bundle, bundle.description.resolved(for: mode))
    (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
    functions = [:]
  }

  /// Runs the model between the caller's memory; `nil` if it needs more than copying one input and
  /// one output.
  package var tensorRunner: TensorRunner? { pipeline?.tensorRunner }

  /// Creates all sessions now instead of when they are first needed.
  package func createAllSessions() throws(ModelError) { try pipeline?.sessions.createAllSessions() }

  /// The model's inputs, in order.
  public var inputs: [Layer] { description.inputs }
  /// The inputs that a caller provides: all except those that carry the model's state.
  public var callerInputs: [Layer] { description.callerInputs }
  /// The links from outputs to inputs through which the model keeps state between runs.
  package var state: [StateLink] { description.state }
  /// Whether a stream carries values from run to run: of the bundle's `state`, of the runtime, or of the features of sound.
  package var carriesState: Bool {
    !state.isEmpty || pipeline?.sessions.hasState == true
      || inputs.contains { $0.audioFeatures?.kind == .micro }
  }
  /// Whether windows of a stream share the features of the frames that they have in common.
  var sharesFeatures: Bool { pipeline?.encoder.sharesFeatures == true }
  /// The model's outputs, in order.
  public var outputs: [Layer] { description.outputs }
  /// The inputs that a caller may provide besides ``callerInputs``.
  package var optionalInputs: [Layer] { description.optionalInputs }
  /// The outputs of a run: those of the bundle, unless the task returns others.
  package var runOutputs: [Layer] { description.runOutputs }
  /// The function whose inputs a caller provides, or this model.
  var calledModel: Model { description.callerFunction.flatMap { functions[$0] } ?? self }
  /// The optional inputs, such as a learning rate.
  public var placeholders: [Layer] { description.placeholders }

  /// Runs the model on the calling thread.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let output = try model.run(["area": 1890, "rooms": [3, 2]], placeholders: ["year": 2024])
  /// let price = try output.value(of: "price", as: Double.self)
  /// ```
  ///
  /// In an async function, where a long run would block other tasks, use
  /// ``submit(_:placeholders:)-(ModelInput,_)``.
  ///
  /// - Parameters:
  ///   - input: A value for a model with one input, or values by input name. Values for
  ///     placeholders may also be given here, by name.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` of the stage `input` if a value does not fit its input, and of the
  ///   stage `run` if the computation fails or no session becomes free within
  ///   ``OpeningOptions/sessionTimeout``.
  public func run(
    _ input: ModelInput, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    var untimed = Stopwatch.disabled
    return try run(input, placeholders, &untimed)
  }

  /// Runs the model on the calling thread, on any value that converts to an input.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "cat.jpg"))
  /// ```
  ///
  /// - Parameters:
  ///   - input: An image, a number, a string, bytes, or an array or dictionary of these.
  ///   - placeholders: Values by placeholder name. All others keep the default of the bundle.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if the value does not fit the model or the run fails.
  public func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    try run(input.modelInput, placeholders: placeholders)
  }

  /// Runs the model on the calling thread and measures how long each stage takes.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// var timings = Timings()
  /// let output = try model.run(ImageBuffer(contentsOf: "cat.jpg"), timings: &timings)
  /// print(timings.run, timings.total)
  /// ```
  ///
  /// - Parameters:
  ///   - input: Any value that converts to an input.
  ///   - placeholders: Values by placeholder name.
  ///   - timings: The measured durations, also set if the run throws.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if a value does not fit the model or the run fails.
  public func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    var stopwatch = Stopwatch.running()
    defer { timings = stopwatch.timings }
    return try run(input.modelInput, placeholders, &stopwatch)
  }

  /// Runs the model on a background thread and suspends until its outputs are available.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let output = try await model.submit(["area": 1890, "rooms": [3, 2]])
  /// ```
  ///
  /// Callers are served first come, first served. At most ``OpeningOptions/sessions`` images are
  /// decoded at the same time, however many tasks submit one.
  ///
  /// - Parameters:
  ///   - input: A value for a model with one input, or values by input name.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled; a run that has started ends as soon as
  ///   the runtime allows, and is completed in TensorFlow. Otherwise the same errors as
  ///   ``run(_:placeholders:)-(ModelInput,_)``.
  public func submit(
    _ input: ModelInput, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      return try await BackgroundThread.run { () throws(ModelError) in
        try run(input, placeholders: placeholders)
      }
    }
    return try await pipeline.submit(input, placeholders).from(info)
  }

  /// Runs the model on a background thread, on any value that converts to an input, and suspends
  /// until its outputs are available.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// let classes = try await model.submit(ImageBuffer(contentsOf: "cat.jpg")).classes
  /// ```
  ///
  /// - Parameters:
  ///   - input: An image, a number, a string, bytes, or an array or dictionary of these.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled; a run that has started ends as soon as
  ///   the runtime allows, and is completed in TensorFlow. Otherwise the same errors as
  ///   ``run(_:placeholders:)-(ModelInput,_)``.
  public func submit(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> ModelOutput {
    try await submit(input.modelInput, placeholders: placeholders)
  }
}

extension Model {
  /// Runs the model once; a run without a runtime is timed as one stage.
  func run(
    _ input: ModelInput, _ placeholders: Placeholders = [:], _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      defer { stopwatch.stop() }
      defer { stopwatch.lap(\.run) }
      guard let runner else { return .empty }
      return try runner.run(input.merging(placeholders), timings: &stopwatch.timings).from(info)
    }
    return try pipeline.run(input, placeholders, &stopwatch).from(info)
  }
}

extension Model {
  /// Runs a model with one numeric input and one numeric output on arrays of numbers.
  ///
  /// No memory is allocated per run, so a loop over a small model costs little more than the model:
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let houses: [[Float]] = [[1890, 3, 2, 1.6], [2400, 4, 2, 1.2]]
  /// var price: [Float] = [0]
  /// for house in houses { try model.run(house, into: &price) }
  /// ```
  ///
  /// Quantization applies as in ``run(_:placeholders:)-(ModelInput,_)``; labels are ignored.
  ///
  /// - Parameters:
  ///   - input: The elements of the input.
  ///   - output: Receives the elements of the output; its count must match.
  /// - Throws: A ``ModelError`` if the model has other inputs or outputs, a count differs, or the
  ///   run fails.
  public func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    guard let pipeline else {
      throw ModelError(
        .run, .unsupported("running a model without a runtime on arrays of numbers"))
    }
    try pipeline.run(input, into: &output)
  }
}
