import TensorIOBundle
import TensorIOSystem

/// The way through an open model: values to tensors, tensors to tensors, tensors to values.
struct InferencePipeline: Sendable {
  let encoder: InputEncoder
  let placeholders: PlaceholderEncoder
  let sessions: SessionPool
  let decoder: OutputDecoder
  /// How several items go through together; `nil` where they go one by one.
  let itemBatcher: ItemBatcher?
  /// How the items of a ``Batch`` go through at once.
  let batchCodec: BatchCodec
  /// Whether a session may be left with other shapes than those for one item.
  private let isResizable: Bool

  /// Prepares the way for a description that fits the model.
  init(
    _ description: ModelDescription, labels: [[String]], _ model: any RuntimeModel,
    _ options: Model.Options
  ) throws(ModelError) {
    let encoder = InputEncoder(
      description.inputs, tensors: model.signature.inputs, state: description.state,
      decoding: options.decodingOptions)
    self.encoder = encoder
    placeholders = PlaceholderEncoder(description, model.signature)
    decoder = OutputDecoder(
      description.outputs, tensors: model.signature.outputs, labels: labels)
    itemBatcher = ItemBatcher(description, labels: labels, model.signature, options)
    batchCodec = BatchCodec(description, labels: labels, model.signature, options)
    let isResizable = model.signature.inputs.contains(where: \.shape.isDynamic)
    self.isResizable = isResizable
    sessions = try SessionPool(capacity: options.sessions, timeout: options.sessionTimeout) {
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
    stopwatch.lap(\.image)
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
      input.containsEncodedBytes
      ? try await BackgroundThread.run { () throws(ModelError) in try match(input, given) }
      : try match(input, given)
    return try await sessions.submit { (session) throws(ModelError) in
      var untimed = Stopwatch.disabled
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
    stopwatch.discardLap()
    try resizeForSingleItem(session)
    let geometries = try encoder.encode(values.inputs, into: session)
    try placeholders.encode(values.placeholders, into: session)
    stopwatch.lap(\.input)
    try session.invoke()
    stopwatch.lap(\.run)
    let layers = try decoder.decode(session)
    stopwatch.lap(\.output)
    return ModelOutput(layers: layers, imageGeometries: geometries)
  }

  /// Undoes what a batch has done; where there was none, this only compares.
  func resizeForSingleItem(_ session: any Session) throws(ModelError) {
    if isResizable { try session.resize(encoder.shapes) }
  }
}

extension ModelInput {
  /// Whether there may be encoded pictures in it, which take long to decode.
  fileprivate var containsEncodedBytes: Bool {
    switch self {
    case .value(let value): value.containsEncodedBytes
    case .named(let values): values.values.contains(where: \.containsEncodedBytes)
    }
  }
}

extension LayerValue {
  fileprivate var containsEncodedBytes: Bool {
    switch self {
    case .bytes: true
    case .list(let values): values.contains(where: \.containsEncodedBytes)
    case .numbers, .strings, .image, .classification: false
    }
  }
}

extension InferencePipeline {
  /// Several items in the calling thread, together where the model takes them so.
  func run(
    batch items: [ModelInput], _ given: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    defer { stopwatch.stop() }
    guard let (batching, groups) = try groups(of: items) else {
      return try items.mapWithItemErrors { (item) throws(ModelError) in try run(item, given, &stopwatch) }
    }
    let values = try placeholders.values(given)
    var outputs: [ModelOutput] = []
    for group in groups {
      do throws(ModelError) {
        outputs += try sessions.withSession { (session) throws(ModelError) in
          try batching.run(group, values, in: session, &stopwatch)
        }
      } catch {
        throw error.at(group: group)
      }
    }
    return outputs
  }

  /// Several items on the pool's queue, together where the model takes them so.
  ///
  /// Between groups, other callers have their turn.
  func submit(
    batch items: [ModelInput], _ given: Placeholders
  ) async throws(ModelError) -> [ModelOutput] {
    var outputs: [ModelOutput] = []
    let values = try placeholders.values(given)
    if let (batching, groups) = try groups(of: items) {
      for group in groups {
        do throws(ModelError) {
          outputs += try await sessions.submit { (session) throws(ModelError) in
            var untimed = Stopwatch.disabled
            return try batching.run(group, values, in: session, &untimed)
          }
        } catch {
          throw error.at(group: group)
        }
      }
    } else {
      for (index, item) in items.enumerated() {
        do throws(ModelError) {
          outputs.append(try await submit(item, given))
        } catch {
          throw error.at(item: index)
        }
      }
    }
    return outputs
  }

  /// The groups in which items go through together; `nil` where they go one by one.
  private func groups(
    of items: [ModelInput]
  ) throws(ModelError) -> (ItemBatcher, [ArraySlice<[LayerValue]>])? {
    guard let itemBatcher else { return nil }
    let values = try items.mapWithItemErrors { (item) throws(ModelError) in try encoder.values(in: item) }
    return itemBatcher.canStack(values) ? (itemBatcher, itemBatcher.groups(of: values)) : nil
  }
}

extension ModelError {
  /// The error of an item of a group, told of its place among all items.
  fileprivate func at(group: ArraySlice<[LayerValue]>) -> ModelError {
    var error = self
    error.item = item.map { min(group.startIndex + $0, group.endIndex - 1) }
    return error
  }
}

extension Array {
  /// What becomes of each element; an error tells which item of the batch it was.
  func mapWithItemErrors<Value>(
    _ transform: (Element) throws(ModelError) -> Value
  ) throws(ModelError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for (index, element) in enumerated() {
      do throws(ModelError) {
        values.append(try transform(element))
      } catch {
        throw error.at(item: index)
      }
    }
    return values
  }
}
