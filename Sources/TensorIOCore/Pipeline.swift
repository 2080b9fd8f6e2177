/// The way through an open model: values to tensors, tensors to tensors, tensors to values.
struct Pipeline: Sendable {
  let encoder: InputEncoder
  let sessions: SessionPool
  let decoder: OutputDecoder

  /// Prepares the way for a description that fits the model.
  init(
    _ description: ModelDescription, labels: [[String]], _ model: any RuntimeModel,
    _ options: Model.Options
  ) throws(ModelError) {
    let encoder = InputEncoder(
      description.inputs, tensors: model.signature.inputs, orientation: options.orientation)
    self.encoder = encoder
    decoder = OutputDecoder(
      description.outputs, tensors: model.signature.outputs, labels: labels)
    sessions = try SessionPool(capacity: options.sessions, waitLimit: options.waitLimit) {
      () throws(ModelError) in
      let session = try model.makeSession(SessionOptions(threads: options.threads))
      if model.signature.inputs.contains(where: \.shape.isDynamic) {
        try session.resize(encoder.shapes)
      }
      return session
    }
  }

  /// One run in the calling thread.
  func run(
    _ input: ModelInput, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    let values = try encoder.match(input)
    stopwatch.lap(\.picture)
    defer { stopwatch.stop() }
    return try sessions.withSession { (session) throws(ModelError) in
      try run(values, in: session, &stopwatch)
    }
  }

  /// One run on the pool's queue.
  func submit(_ input: ModelInput) async throws(ModelError) -> ModelOutput {
    let values = try encoder.match(input)
    return try await sessions.submit { (session) throws(ModelError) in
      var untimed = Stopwatch.off
      return try run(values, in: session, &untimed)
    }
  }

  private func run(
    _ values: [LayerValue], in session: any Session, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    stopwatch.skip()
    let geometries = try encoder.encode(values, into: session)
    stopwatch.lap(\.input)
    try session.invoke()
    stopwatch.lap(\.run)
    let layers = try decoder.decode(session)
    stopwatch.lap(\.output)
    return ModelOutput(layers: layers, geometries: geometries)
  }
}
