public import TensorIOBundle
import TensorIOSystem

extension Model {
  /// Runs the model on several items and returns one output per item, in order.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let outputs = try model.run(batch: [[1890, 3, 2, 1.6], [2400, 4, 2, 1.2]])
  /// let prices = try outputs.map { try $0["price"].value(as: Double.self) }
  /// ```
  ///
  /// The outputs equal those of running the items one by one. A model whose layers all begin with
  /// `-1` processes all items in one invocation; if they also have variable lengths, it processes
  /// items of equal lengths in one invocation. A model with a fixed batch, such as
  /// `[4,224,224,3]`, processes groups of that size; the last group is padded with copies of its
  /// last item, whose outputs are discarded. All other models process one item at a time.
  ///
  /// - Parameters:
  ///   - items: The inputs, as for ``run(_:placeholders:)-(ModelInput,_)``.
  ///   - placeholders: Values by placeholder name, for all items.
  /// - Returns: One output per item.
  /// - Throws: The ``ModelError`` of the first item that fails; ``ModelError/item`` is its index.
  public func run(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:]
  ) throws(ModelError) -> [ModelOutput] {
    var untimed = Stopwatch.disabled
    return try run(items.map(\.modelInput), placeholders, &untimed)
  }

  /// Runs the model on several items and measures how long each stage takes for all items together.
  ///
  /// - Parameters:
  ///   - items: Values that convert to inputs.
  ///   - placeholders: Values by placeholder name, for all items.
  ///   - timings: The sums over all items, also set if the run throws.
  /// - Returns: One output per item.
  /// - Throws: The ``ModelError`` of the first item that fails; ``ModelError/item`` is its index.
  package func run(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> [ModelOutput] {
    var stopwatch = Stopwatch.running()
    defer { timings = stopwatch.timings }
    return try run(items.map(\.modelInput), placeholders, &stopwatch)
  }

  /// Runs the model on several items on a background thread and suspends until all outputs are
  /// available.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let outputs = try await model.submit(batch: [[1890, 3, 2, 1.6], [2400, 4, 2, 1.2]])
  /// ```
  ///
  /// Other callers can run the model between two groups of the batch.
  ///
  /// - Parameters:
  ///   - items: Values that convert to inputs.
  ///   - placeholders: Values by placeholder name, for all items.
  /// - Returns: One output per item.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled, otherwise
  ///   the ``ModelError`` of the first item that fails.
  public func submit(
    batch items: [some ModelInputConvertible], placeholders: Placeholders = [:]
  ) async throws(ModelError) -> [ModelOutput] {
    let items = items.map(\.modelInput)
    guard let pipeline else {
      return try await BackgroundThread.run { () throws(ModelError) in
        try run(batch: items, placeholders: placeholders)
      }
    }
    return try await pipeline.submit(batch: items, placeholders).map { $0.from(info) }
  }

  /// Runs the model on several items in one invocation, with images of different lengths in tensors for the longest.
  ///
  /// Outputs can depend on what follows an image in its tensor: they are those of models that were trained with it.
  ///
  /// - Parameter items: The inputs.
  /// - Returns: One output per item.
  /// - Throws: The ``ModelError`` of the first item that fails.
  package func run(sharingShapes items: [ModelInput]) throws(ModelError) -> [ModelOutput] {
    var untimed = Stopwatch.disabled
    guard let pipeline else { return try run(items, [:], &untimed) }
    return try pipeline.run(batch: items, [:], sharingShapes: true, &untimed).map { $0.from(info) }
  }

  private func run(
    _ items: [ModelInput], _ placeholders: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    guard let pipeline else {
      return try items.mapWithItemErrors { (item) throws(ModelError) in
        try run(item, placeholders, &stopwatch)
      }
    }
    return try pipeline.run(batch: items, placeholders, &stopwatch).map { $0.from(info) }
  }
}

extension Model {
  /// Whether the model can process several items in one invocation.
  public var supportsBatching: Bool { pipeline?.itemBatcher != nil }

  /// Runs the model once on all items of a batch and returns one output for the batch.
  ///
  /// An output such as a loss is computed over the batch. An output whose shape begins with `-1` is
  /// a list with one value per item. For one output per item, use ``run(batch:placeholders:)``.
  ///
  /// - Parameters:
  ///   - batch: The items, with a column for each input.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs for the batch.
  /// - Throws: A ``ModelError`` if the batch is empty, has other columns than the model has inputs,
  ///   or does not fit the model's batch size, or if the run fails.
  package func evaluate(
    _ batch: Batch, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    guard let pipeline else {
      throw ModelError(.run, .unsupported("evaluating a batch without a runtime"))
    }
    return try pipeline.evaluate(batch, placeholders).from(info)
  }
}

extension InferencePipeline {
  fileprivate func evaluate(
    _ batch: Batch, _ given: Placeholders
  ) throws(ModelError) -> ModelOutput {
    try sessions.withSession { (session) throws(ModelError) in
      try batchCodec.encode(batch, given, into: session)
      try session.invoke()
      return try batchCodec.decodeOutputs(of: session, itemCount: batch.count)
    }
  }
}
