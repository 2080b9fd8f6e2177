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
    var untimed = Stopwatch.off
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
    var stopwatch = Stopwatch.started()
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
      return try await WorkThread.perform { () throws(ModelError) in
        try run(batch: items, placeholders: placeholders)
      }
    }
    return try await pipeline.submit(batch: items, placeholders)
  }

  private func run(
    _ items: [ModelInput], _ placeholders: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    guard let pipeline else {
      return try items.mapItems { (item) throws(ModelError) in
        try run(item, placeholders, &stopwatch)
      }
    }
    return try pipeline.run(batch: items, placeholders, &stopwatch)
  }
}

extension Model {
  /// Whether several items can go through the model in one invocation.
  public var takesBatches: Bool { pipeline?.batching != nil }

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

extension Pipeline {
  fileprivate func run(
    _ batch: Batch, _ given: Placeholders
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      try plan.fill(batch, given, into: session)
      try session.invoke()
      return try plan.outputs(of: session, items: batch.count)
    }
  }
}
