import TensorIOBundle
import TensorIOImage
import TensorIOSystem

/// The stages of a run: encode values into tensors, invoke the model, decode tensors into values.
///
/// It is a class so that a run of a small model does not retain each of its parts.
final class InferencePipeline: Sendable {
  let encoder: InputEncoder
  let placeholders: PlaceholderEncoder
  let sessions: SessionPool
  private let createSession: @Sendable (SessionOptions) throws(ModelError) -> any Session
  private let sessionOptions: SessionOptions
  /// The outputs that become inputs of the next run, by their positions.
  private let state: [(output: Int, input: Int)]
  let decoder: OutputDecoder
  /// Runs several items in one invocation; `nil` if the model takes one item at a time.
  let itemBatcher: ItemBatcher?
  /// Encodes and decodes a ``Batch``.
  let batchCodec: BatchCodec
  /// Whether a run may leave a session's inputs with shapes other than those of the next run.
  private let isResizable: Bool
  /// Runs the model between the caller's memory; `nil` if a run needs more than copying two tensors.
  let tensorRunner: TensorRunner?
  /// Limits the images that asynchronous runs decode at the same time.
  let decodeLimiter: DecodeLimiter

  /// Creates a pipeline for a description that has been validated against the model.
  init(
    _ description: ModelDescription, labels: [OutputLabels],
    tokenizers: [String: TextTokenizer] = [:], functions: [String: Model] = [:],
    _ model: any RuntimeModel, _ options: OpeningOptions
  ) throws(ModelError) {
    try AudioEncoder.checkFeatures(of: description.inputs, functions)
    let encoder = InputEncoder(
      description.inputs, tensors: model.signature.inputs, state: description.state,
      tokenizers: tokenizers, decoding: options.decodingOptions, functions: functions)
    self.encoder = encoder
    state = description.state.compactMap { link in
      guard let output = description.outputs.firstIndex(where: { $0.name == link.output }),
        let input = description.inputs.firstIndex(where: { $0.name == link.input })
      else { return nil }
      return (output, input)
    }
    placeholders = PlaceholderEncoder(description, model.signature)
    decoder = OutputDecoder(
      description.outputs, tensors: model.signature.outputs, labels: labels)
    itemBatcher = ItemBatcher(description, labels: labels, model.signature, options)
    batchCodec = BatchCodec(description, labels: labels, model.signature, options)
    let isResizable = model.signature.inputs.contains(where: \.shape.isDynamic)
    self.isResizable = isResizable
    decodeLimiter = DecodeLimiter(capacity: options.sessions, timeout: options.sessionTimeout)
    let createSession = { @Sendable (options: SessionOptions) throws(ModelError) -> any Session in
      try ForkGuard.preventingForks { () throws(ModelError) in
        let session = try model.makeSession(options)
        if isResizable, !encoder.hasVariableShapes { try session.resize(encoder.shapes) }
        return session
      }
    }
    let sessionOptions = SessionOptions(threads: options.threads)
    self.sessionOptions = sessionOptions
    self.createSession = createSession
    sessions = try SessionPool(
      capacity: options.sessions, timeout: options.sessionTimeout, runTimeout: options.runTimeout,
      resettingState: true
    ) { () throws(ModelError) in try createSession(sessionOptions) }
    let copiesTensors = options.runTimeout == nil && description.state.isEmpty
    tensorRunner =
      copiesTensors ? TensorRunner(encoder, decoder, model.signature, sessions) : nil
  }

  /// Creates a session outside of the pool.
  func makeSession(profilingOperators: Bool = false) throws(ModelError) -> any Session {
    var options = sessionOptions
    options.profilesOperators = profilingOperators
    return try createSession(options)
  }

  /// Runs the model once, on the calling thread.
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

  /// Runs the model once, on background threads.
  ///
  /// Images are decoded before a session is taken, at most as many at a time as there are sessions.
  /// A run occupies its decoding slot until it has a session, so that decoded images do not
  /// accumulate while their runs wait.
  func submit(
    _ input: ModelInput, _ given: Placeholders
  ) async throws(ModelError) -> ModelOutput {
    guard input.containsEncodedBytes else {
      let values = try match(input, given)
      return try await sessions.submit { (session) throws(ModelError) in
        var untimed = Stopwatch.disabled
        return try self.run(values, in: session, &untimed)
      }
    }
    let slot = try await decodeLimiter.acquireSlot()
    defer { slot.release() }
    let values = try await BackgroundThread.run { () throws(ModelError) in
      try self.match(input, given)
    }
    return try await sessions.submit(alreadyWaited: slot.waitingTime) {
      (session) throws(ModelError) in
      slot.release()
      var untimed = Stopwatch.disabled
      return try self.run(values, in: session, &untimed)
    }
  }

  /// Runs the model once in a session outside of the pool, on the calling thread.
  func run(
    _ input: ModelInput, _ given: Placeholders, in session: any Session,
    _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    var features = AudioFeatureExtractor.State()
    return try run(input, given, in: session, &features, &stopwatch)
  }

  /// Runs the model once in a session outside of the pool, with what is kept of the features of sound from run to run.
  func run(
    _ input: ModelInput, _ given: Placeholders, in session: any Session,
    _ features: inout AudioFeatureExtractor.State, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    let values = try match(input, given)
    stopwatch.lap(\.image)
    defer { stopwatch.stop() }
    do throws(ModelError) {
      return try run(values, in: session, &features, &stopwatch)
    } catch {
      session.abilities.discardInputs?()
      throw error
    }
  }

  typealias Values = (inputs: [LayerValue], placeholders: [LayerValue?])

  /// Matches the values of an input to the layers, and decodes its images.
  func match(_ input: ModelInput, _ given: Placeholders) throws(ModelError) -> Values {
    let (input, placeholders) = try placeholders.split(input, given)
    return (try encoder.match(input), placeholders)
  }

  private func run(
    _ values: Values, in session: any Session, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    var features = AudioFeatureExtractor.State()
    return try run(values, in: session, &features, &stopwatch)
  }

  private func run(
    _ given: Values, in session: any Session, _ features: inout AudioFeatureExtractor.State,
    _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    var values = given
    stopwatch.discardLap()
    if let index = encoder.audioIndex {
      guard encoder.isPrepared(values.inputs[index]) else {
        return try run(windowsOf: index, values, in: session, &features, &stopwatch)
      }
      try encoder.prepareWindow(&values.inputs, &features)
    }
    let geometries = try invoke(session, with: values, &stopwatch)
    let layers = try decoder.decode(session)
    stopwatch.lap(\.output)
    let output = ModelOutput(
      layers: layers, imageGeometries: geometries, texts: values.inputs.texts)
    let windowCount = values.inputs.textWindowCount
    guard windowCount > 1 else { return output }
    var followingLayers: [[ModelOutput.Layer]] = []
    for index in 1..<windowCount {
      let window = (inputs: values.inputs.textWindow(index), placeholders: values.placeholders)
      _ = try invoke(session, with: window, &stopwatch)
      followingLayers.append(try decoder.decode(session))
      stopwatch.lap(\.output)
    }
    return output.with(followingLayers: followingLayers)
  }

  /// Runs the model on each window of the sound in one input.
  ///
  /// The state of each run is that of the window before, and the state in the output that of the last
  /// one.
  private func run(
    windowsOf index: Int, _ values: Values, in session: any Session,
    _ features: inout AudioFeatureExtractor.State, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    var values = values
    var windows = try encoder.audioWindows(values.inputs)
    var outputs: [ModelOutput.Window] = []
    var geometries: [ImageGeometry?] = []
    while let window = try windows.next() {
      values.inputs[index] = .numbers(Numbers(.floats(window.samples)))
      try encoder.prepareWindow(&values.inputs, &features)
      geometries = try invoke(session, with: values, &stopwatch)
      let layers = try decoder.decode(session)
      for link in state { values.inputs[link.input] = layers[link.output].value }
      outputs.append(ModelOutput.Window(start: window.start, end: window.end, layers: layers))
      stopwatch.lap(\.output)
    }
    return ModelOutput(
      layers: outputs.meanLayers(keepingLast: Set(state.map(\.output))),
      imageGeometries: geometries, texts: values.inputs.texts,
      windows: outputs)
  }

  /// Writes values into a session and computes its outputs; returns how images were fitted.
  func invoke(
    _ session: any Session, with values: Values, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ImageGeometry?] {
    let encoder = try encoder.fitted(to: values.inputs)
    try resize(session, for: encoder)
    let geometries = try encoder.encode(values.inputs, into: session)
    try placeholders.encode(values.placeholders, into: session)
    stopwatch.lap(\.input)
    try session.invoke()
    stopwatch.lap(\.run)
    return geometries
  }

  /// Gives the inputs of a session the shapes for one item, which the last run may have changed.
  func resize(_ session: any Session, for encoder: InputEncoder) throws(ModelError) {
    if isResizable { try session.resize(encoder.shapes) }
  }
}

extension ModelInput {
  /// Whether the input contains bytes, which may be encoded images that take long to decode.
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
    case .numbers, .strings, .tokens, .image, .audio, .classification: false
    }
  }
}

extension InferencePipeline {
  /// Runs several items on the calling thread, in groups if the model supports batching.
  func run(
    batch items: [ModelInput], _ given: Placeholders, sharingShapes sharesShapes: Bool = false,
    _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    defer { stopwatch.stop() }
    guard let (batching, groups) = try groups(of: items, sharingShapes: sharesShapes) else {
      return try items.mapWithItemErrors { (item) throws(ModelError) in
        try run(item, given, &stopwatch)
      }
    }
    let values = try placeholders.values(given)
    var outputs = [ModelOutput?](repeating: nil, count: items.count)
    for group in groups {
      do throws(ModelError) {
        let results = try sessions.withSession { (session) throws(ModelError) in
          try batching.run(group.map(\.element), values, in: session, &stopwatch)
        }
        for (item, output) in zip(group, results) { outputs[item.offset] = output }
      } catch {
        throw error.at(group: group)
      }
    }
    return outputs.compactMap(\.self)
  }

  /// Runs several items on background threads, in groups if the model supports batching.
  ///
  /// The session is released between groups, so that other callers can use it.
  func submit(
    batch items: [ModelInput], _ given: Placeholders
  ) async throws(ModelError) -> [ModelOutput] {
    var outputs = [ModelOutput?](repeating: nil, count: items.count)
    let values = try placeholders.values(given)
    if let (batching, groups) = try groups(of: items) {
      for group in groups {
        do throws(ModelError) {
          let results = try await sessions.submit { (session) throws(ModelError) in
            var untimed = Stopwatch.disabled
            return try batching.run(group.map(\.element), values, in: session, &untimed)
          }
          for (item, output) in zip(group, results) { outputs[item.offset] = output }
        } catch {
          throw error.at(group: group)
        }
      }
    } else {
      for (index, item) in items.enumerated() {
        do throws(ModelError) {
          outputs[index] = try await submit(item, given)
        } catch {
          throw error.at(item: index)
        }
      }
    }
    return outputs.compactMap(\.self)
  }

  /// Items that run together, with their positions.
  private typealias Group = [(offset: Int, element: [LayerValue])]

  /// Splits items into the groups that run together; `nil` if they have to run one by one.
  private func groups(
    of items: [ModelInput], sharingShapes sharesShapes: Bool = false
  ) throws(ModelError) -> (ItemBatcher, [Group])? {
    guard let itemBatcher else { return nil }
    let values = try items.mapWithItemErrors { (item) throws(ModelError) in
      try encoder.values(in: item)
    }
    guard itemBatcher.canStack(values), values.allSatisfy({ $0.textWindowCount == 1 }) else {
      return nil
    }
    let groups = try itemBatcher.groups(of: values, sharingShapes: sharesShapes)
    return (itemBatcher, groups.map { group in group.map { ($0, values[$0]) } })
  }
}

extension ModelError {
  /// The error with its item's index in the group replaced by the index among all items.
  fileprivate func at(group: [(offset: Int, element: [LayerValue])]) -> ModelError {
    var error = self
    error.item = item.flatMap { group.dropFirst($0).first ?? group.last }?.offset
    return error
  }
}

extension Array {
  /// Transforms each element; an error gets the index of the element that caused it.
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
