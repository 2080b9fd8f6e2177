public import TensorIOBundle
import TensorIOSystem

/// A model, open and ready to run.
///
/// A model may be shared between threads and tasks: it lends its sessions, of which it has one
/// unless ``Options/sessions`` says otherwise, to one caller at a time.
public struct Model: Sendable {
  /// The bundle that the model was opened from.
  public let bundle: ModelBundle
  /// What is doubtful about the bundle, and harmless.
  public let warnings: [Diagnostic]
  /// The tensors that the model itself has; `nil` in a placeholder, which has no model.
  public let signature: ModelSignature?
  /// What the model does.
  public let mode: ModelMode
  /// What the bundle says of the model in its mode.
  package let description: ModelDescription
  let pipeline: InferencePipeline?
  /// The application's own model, where the bundle asks for one.
  let runner: (any ModelRunner)?

  /// Opens a bundle in a runtime.
  public init(
    _ bundle: ModelBundle, on backend: any Backend, options: Options = Options()
  ) throws(ModelError) {
    self = try bundle.withUnchangedFiles { () throws(ModelError) in
      try Model(allowingReplaced: bundle, on: backend, options: options)
    }
  }

  /// Opens a bundle whose place another one may have taken, as one that is trained and exported may.
  package init(
    allowingReplaced bundle: ModelBundle, on backend: any Backend, options: Options
  ) throws(ModelError) {
    self.bundle = bundle
    runner = nil
    mode = options.mode ?? bundle.description.defaultMode
    description = bundle.description.effective(for: options)
    guard !bundle.description.isPlaceholder else {
      (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
      return
    }
    // What a runtime keeps for all sessions serves all of them at the same time.
    let threads = options.threads * options.sessions
    let model = try bundle.load(for: mode, threads: threads, on: backend)
    do {
      warnings = try bundle.warnings(for: model, in: mode)
      pipeline = try InferencePipeline(description, labels: bundle.outputLabels(of: description), model, options)
    } catch {
      throw error.in(file: bundle.path)
    }
    signature = model.signature
  }

  /// Opens a bundle that is run by a model of the application's own.
  ///
  /// This is what happens to a bundle whose `class` is registered in a ``ModelRegistry``.
  public init(_ bundle: ModelBundle, runner: any ModelRunner) {
    self.bundle = bundle
    self.runner = runner
    mode = bundle.description.defaultMode
    description = bundle.description.resolved(for: mode)
    (warnings, signature, pipeline) = (bundle.warnings, nil, nil)
  }

  /// Makes all sessions now, which otherwise come when they are first needed.
  package func createAllSessions() throws(ModelError) { try pipeline?.sessions.createAllSessions() }

  /// What goes in, in order.
  public var inputs: [Layer] { description.inputs }
  /// What a caller gives: the inputs without those that take up the model's own state.
  public var callerInputs: [Layer] { description.callerInputs }
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
    var untimed = Stopwatch.disabled
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
    var stopwatch = Stopwatch.running()
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
      return try await BackgroundThread.run { () throws(ModelError) in
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
      return try runner.run(input.merging( placeholders))
    }
    return try pipeline.run(input, placeholders, &stopwatch)
  }
}

extension Model {
  /// Runs a model of one numeric input and one numeric output on numbers in the caller's memory.
  ///
  /// Nothing is allocated on the way, so that a loop over a small model costs little more than
  /// the model:
  ///
  ///     var price: [Float] = [0]
  ///     for house in houses { try model.run(house, into: &price) }
  ///
  /// Quantization applies as in ``run(_:)-(ModelInput)``; labels are left aside.
  public func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    guard let pipeline else {
      throw ModelError(
        .run, .unsupported("running a model that no runtime runs between arrays of numbers"))
    }
    try pipeline.run(input, into: &output)
  }
}

extension InferencePipeline {
  /// One run in the calling thread, between arrays of the caller's.
  fileprivate func run(_ input: [Float], into output: inout [Float]) throws(ModelError) {
    let numbers = try numbersOnly()
    let decoder = decoder.layers[0]
    do throws(ModelError) {
      try numbers.requireCount( input.count)
      try sessions.withSession { (session) throws(ModelError) in
        try resizeForSingleItem(session)
        try session.fill(0) { (memory) throws(ModelError) in
          try numbers.encode(.floats(input), into: &memory)
        }
        try placeholders.encode(placeholders.defaults, into: session)
        try session.invoke()
        try session.read(0) { (memory, shape) throws(ModelError) in
          try decoder.decode(memory, shape: shape, into: &output)
        }
      }
    } catch {
      throw error.stage == .input ? error.at(layer: encoder.layers[0].name) : error
    }
  }

  private func numbersOnly() throws(ModelError) -> NumberEncoder {
    guard encoder.layers.count == 1, case .numbers(let numbers) = encoder.layers[0].kind else {
      throw ModelError(
        .input, .wrongType(expected: "values for \(encoder.layers.count) inputs", actual: "numbers")
      )
    }
    guard decoder.layers.count == 1 else {
      throw ModelError(
        .output, .wrongType(expected: "one array", actual: "\(decoder.layers.count) outputs"))
    }
    guard decoder.layers[0].isNumeric else {
      throw ModelError(
        .output, .wrongType(expected: "numbers", actual: "other values"),
        layer: decoder.layers[0].layer.name)
    }
    return numbers
  }
}

extension Model {
  /// Runs the model on several items and gives an answer for each, in their order.
  ///
  ///     let prices = try model.run(batch: houses).map { try $0["price"].value(as: Double.self) }
  ///
  /// The answers are those of running the items one by one. A model whose layers all begin with
  /// `-1` takes them in one invocation. One with a fixed batch, such as `[4,224,224,3]`, takes
  /// them in groups of that size; a last group that is too small is filled with copies of its last
  /// item, and what comes of them is dropped. All other models take them one after the other.
  ///
  /// The first item that does not fit ends the run; ``ModelError/item`` tells which it was.
  public func run(
    batch items: [ModelInput], placeholders: Placeholders = [:]
  ) throws(ModelError) -> [ModelOutput] {
    var untimed = Stopwatch.disabled
    return try run(items, placeholders, &untimed)
  }

  /// Runs the model on several items and gives an answer for each, in their order.
  public func run(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:]
  ) throws(ModelError) -> [ModelOutput] {
    try run(batch: items.map(\.modelInput), placeholders: placeholders)
  }

  /// Runs the model on several items and says where the time went, for all of them together.
  public func run(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> [ModelOutput] {
    var stopwatch = Stopwatch.running()
    defer { timings = stopwatch.timings }
    return try run(items.map(\.modelInput), placeholders, &stopwatch)
  }

  /// Runs the model on several items, on a queue of its own, and suspends until all answers are
  /// there.
  public func submit(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:]
  ) async throws(ModelError) -> [ModelOutput] {
    let items = items.map(\.modelInput)
    guard let pipeline else {
      return try await BackgroundThread.run { () throws(ModelError) in
        try run(batch: items, placeholders: placeholders)
      }
    }
    return try await pipeline.submit(batch: items, placeholders)
  }

  private func run(
    _ items: [ModelInput], _ placeholders: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    guard let pipeline else {
      return try items.mapWithItemErrors { (item) throws(ModelError) in
        try run(item, placeholders, &stopwatch)
      }
    }
    return try pipeline.run(batch: items, placeholders, &stopwatch)
  }
}

extension Model {
  /// Whether several items can go through the model in one invocation.
  public var supportsBatching: Bool { pipeline?.itemBatcher != nil }

  /// Runs the model on all items of a batch at once, and gives one answer for all.
  ///
  /// This is how a model is evaluated: an output such as a loss is of the batch as a whole. One
  /// that begins with `-1` is a list with a value for each item.
  public func run(
    _ batch: Batch, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      throw ModelError(.run, .unsupported("running a batch as a whole without a runtime"))
    }
    return try pipeline.run(batch, placeholders)
  }
}

extension InferencePipeline {
  fileprivate func run(
    _ batch: Batch, _ given: Placeholders
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      try batchCodec.encode(batch, given, into: session)
      try session.invoke()
      return try batchCodec.decodeOutputs(of: session, itemCount: batch.count)
    }
  }
}
