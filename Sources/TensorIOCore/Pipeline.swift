/// The way through an open model: values to tensors, tensors to tensors, tensors to values.
struct Pipeline: Sendable {
  let encoder: InputEncoder
  let placeholders: PlaceholderEncoder
  let sessions: SessionPool
  let decoder: OutputDecoder
  /// How several items go through together; `nil` where they go one by one.
  let batching: Batching?
  /// How the items of a ``Batch`` go through at once.
  let plan: BatchPlan
  /// Whether a session may be left with other shapes than those for one item.
  private let isResizable: Bool

  /// Prepares the way for a description that fits the model.
  init(
    _ description: ModelDescription, labels: [[String]], _ model: any RuntimeModel,
    _ options: Model.Options
  ) throws(ModelError) {
    let encoder = InputEncoder(
      description.inputs, tensors: model.signature.inputs, state: description.state,
      decoding: options.decoding)
    self.encoder = encoder
    placeholders = PlaceholderEncoder(description, model.signature)
    decoder = OutputDecoder(
      description.outputs, tensors: model.signature.outputs, labels: labels)
    batching = Batching(description, labels: labels, model.signature, options)
    plan = BatchPlan(description, labels: labels, model.signature, options)
    let isResizable = model.signature.inputs.contains(where: \.shape.isDynamic)
    self.isResizable = isResizable
    sessions = try SessionPool(capacity: options.sessions, waitLimit: options.waitLimit) {
      () throws(ModelError) in
      let session = try model.makeSession(SessionOptions(threads: options.threads))
      if isResizable { try session.resize(encoder.shapes) }
      return session
    }
  }

  /// One run in the calling thread.
  func run(
    _ input: ModelInput, _ given: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    let values = try match(input, given)
    stopwatch.lap(\.picture)
    defer { stopwatch.stop() }
    return try sessions.withSession { (session) throws(ModelError) in
      try run(values, in: session, &stopwatch)
    }
  }

  /// One run on the pool's queue.
  ///
  /// Pictures are decoded there too, while others hold the sessions.
  func submit(
    _ input: ModelInput, _ given: Placeholders
  ) async throws(ModelError) -> ModelOutput {
    let values =
      input.holdsBytes
      ? try await WorkThread.perform { () throws(ModelError) in try match(input, given) }
      : try match(input, given)
    return try await sessions.submit { (session) throws(ModelError) in
      var untimed = Stopwatch.off
      return try run(values, in: session, &untimed)
    }
  }

  private typealias Values = (inputs: [LayerValue], placeholders: [LayerValue?])

  private func match(
    _ input: ModelInput, _ given: Placeholders
  ) throws(ModelError) -> Values {
    let (input, placeholders) = try placeholders.split(input, given)
    return (try encoder.match(input), placeholders)
  }

  private func run(
    _ values: Values, in session: any Session, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    stopwatch.skip()
    try shapeForOneItem(session)
    let geometries = try encoder.encode(values.inputs, into: session)
    try placeholders.encode(values.placeholders, into: session)
    stopwatch.lap(\.input)
    try session.invoke()
    stopwatch.lap(\.run)
    let layers = try decoder.decode(session)
    stopwatch.lap(\.output)
    return ModelOutput(layers: layers, geometries: geometries)
  }

  /// Undoes what a batch has done; where there was none, this only compares.
  func shapeForOneItem(_ session: any Session) throws(ModelError) {
    if isResizable { try session.resize(encoder.shapes) }
  }
}

extension ModelInput {
  /// Whether there may be encoded pictures in it, which take long to decode.
  fileprivate var holdsBytes: Bool {
    switch self {
    case .value(let value): value.holdsBytes
    case .named(let values): values.values.contains(where: \.holdsBytes)
    }
  }
}

extension LayerValue {
  fileprivate var holdsBytes: Bool {
    switch self {
    case .bytes: true
    case .list(let values): values.contains(where: \.holdsBytes)
    case .numbers, .strings, .image, .classification: false
    }
  }
}
