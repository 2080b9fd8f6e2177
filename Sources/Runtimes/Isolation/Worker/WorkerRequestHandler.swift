import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The state of a worker process: a runtime, a model, and a session or caches with shared memory.
struct WorkerRequestHandler {
  private let runtimes: [RuntimeDescriptor]
  private var configuration: WorkerConfiguration?
  private var runtime: WorkerRuntime?
  private var model: (any RuntimeModel)?
  private var session: (any Session)?
  private var steps: (any StepSession)?
  private var inputs: SharedMemory?
  private var outputs: SharedMemory?
  /// Whether the outputs of a run are waiting for larger memory.
  private var isAwaitingOutputMemory = false
  /// The other outputs of a step, until there is memory for them.
  private var stepOutputs: (values: [Tensor], layout: SharedMemoryLayout)?

  init(_ runtimes: [RuntimeDescriptor], model: (any RuntimeModel)? = nil) {
    (self.runtimes, self.model) = (runtimes, model)
  }

  /// Handles a request and returns the response.
  mutating func handle(_ request: WorkerRequest, _ memory: CInt?) -> WorkerResponse {
    do throws(ModelError) {
      return try perform(request, memory)
    } catch {
      return .failed(error)
    }
  }

  private mutating func perform(
    _ request: WorkerRequest, _ memory: CInt?
  ) throws(ModelError) -> WorkerResponse {
    switch request {
    case .configure(let configuration): try configure(configuration)
    case .load(let request): return .modelLoaded(try load(request, memory))
    case .makeSession(let threads):
      let session = try require(model).makeSession(SessionOptions(threads: threads))
      self.session = session
      return .sessionMade(hasState: session.abilities.resetState != nil)
    case .resize(let shapes): try require(session).resize(shapes.map(\.signedDimensions))
    case .resetState: try require(require(session).abilities.resetState)()
    case .attachMemory(let side, let byteCount): return try attachMemory(memory, byteCount, side)
    case .invoke(let payloads): return try invoke(payloads)
    case .makeStepSession: return .stepSessionMade(try makeStepSession())
    case .beginSteps(let caches): try beginSteps(caches)
    case .step(let count, let tokens, let outputs):
      return try step(after: count, tokens, returning: outputs)
    case .writeScores(let index): try writeScores(after: index)
    }
    return .done
  }

  private mutating func configure(_ configuration: WorkerConfiguration) throws(ModelError) {
    guard runtime == nil else { throw .unexpectedRequest }
    self.configuration = configuration
    // The library is opened before the sandbox is entered, which forbids opening files, and the
    // model is loaded after it.
    let runtime = try WorkerRuntime(configuration, among: runtimes)
    if configuration.level == .sandbox { try enterSandbox(configuration) }
    guard WorkerProcessSetup.startParentMonitor(),
      WorkerProcessSetup.setLimits(addressSpace: configuration.memoryLimit)
    else {
      throw ModelError(.runtime, .failed("the worker process could not set its resource limits"))
    }
    self.runtime = runtime
  }

  private func enterSandbox(_ configuration: WorkerConfiguration) throws(ModelError) {
    let missing = WorkerProcessSetup.enterSandbox(readableFolder: configuration.readableFolder)
    guard missing.isEmpty else { throw ModelError(.runtime, .sandboxUnavailable(missing: missing)) }
  }

  private mutating func load(
    _ request: LoadRequest, _ memory: CInt?
  ) throws(ModelError) -> LoadedModelInfo {
    limitProcessorTime()
    let runtime = try require(runtime)
    let model = try runtime.load(request, try mapping(request, memory))
    self.model = model
    return LoadedModelInfo(
      signature: model.signature, signatures: model.signatures, warnings: model.warnings,
      hasSteps: model.abilities.steps != nil)
  }

  /// Maps the model's bytes, or returns `nil` if the model is a folder.
  private func mapping(
    _ request: LoadRequest, _ memory: CInt?
  ) throws(ModelError) -> FileMapping? {
    guard let byteCount = request.byteCount else { return nil }
    guard let memory else { throw .unmappableMemory }
    defer { close(memory) }
    guard let mapping = FileMapping(memory, byteCount: byteCount) else { throw .unmappableMemory }
    return mapping
  }

  private mutating func attachMemory(
    _ memory: CInt?, _ byteCount: Int, _ side: TensorSide
  ) throws(ModelError) -> WorkerResponse {
    let memory = try SharedMemory.receiving(memory, byteCount, isWritable: side == .outputs)
    switch side {
    case .inputs: inputs = memory
    case .outputs: outputs = memory
    }
    guard isAwaitingOutputMemory, side == .outputs else { return .done }
    if let response = try writeStepOutputs() { return response }
    return try writeOutputs()
  }
}

extension WorkerRequestHandler {
  private mutating func invoke(_ payloads: [InputPayload]) throws(ModelError) -> WorkerResponse {
    limitProcessorTime()
    let (session, inputs) = (try require(session), try require(inputs))
    do throws(ModelError) {
      for payload in payloads { try session.fill(payload, from: inputs) }
      try session.invoke()
    } catch {
      session.abilities.discardInputs?()
      throw error
    }
    return try writeOutputs()
  }

  /// Writes the outputs to shared memory, or requests larger memory.
  private mutating func writeOutputs() throws(ModelError) -> WorkerResponse {
    let (session, outputs) = (try require(session), try require(outputs))
    let layout = try OutputLayout(session, try require(model).signature.outputs)
    isAwaitingOutputMemory = layout.memoryLayout.byteCount > outputs.byteCount
    guard !isAwaitingOutputMemory else {
      return .outputMemoryRequired(layout.memoryLayout.byteCount)
    }
    return .outputs(try layout.write(to: outputs, from: session))
  }

  private mutating func makeStepSession() throws(ModelError) -> StepSessionInfo {
    // The memory of the last caches is released first.
    steps = nil
    let session = try require(require(model).abilities.steps).makeStepSession()
    steps = session
    let base = session.cacheByteCount(for: 0)
    return StepSessionInfo(
      capacity: session.capacity, vocabularySize: session.vocabularySize,
      hasScoresOfEveryToken: session.hasScoresOfEveryToken, baseByteCount: base,
      byteCountPerToken: session.cacheByteCount(for: 1) - base)
  }

  private func beginSteps(_ caches: [GivenCache]) throws(ModelError) {
    let (steps, inputs) = (try require(steps), try require(inputs))
    var values: [String: Tensor] = [:]
    for cache in caches {
      var value: Tensor?
      let isInBounds = try inputs.read(cache.range) { (span) throws(ModelError) in
        value = try Tensor(memory: span, elementType: cache.elementType, shape: cache.shape)
      }
      guard isInBounds else { throw .unexpectedRequest }
      values[cache.input] = value
    }
    try steps.begin(with: values)
  }

  private mutating func step(
    after count: Int, _ tokens: [Int32], returning outputs: [String]
  ) throws(ModelError) -> WorkerResponse {
    limitProcessorTime()
    let steps = try require(steps)
    _ = try require(self.outputs)
    try steps.truncate(to: count)
    guard steps.count == count else { throw .unexpectedRequest }
    let values = try steps.append(tokens, returning: outputs)
    try writeScores(after: steps.count - 1)
    guard !outputs.isEmpty else { return .done }
    guard values.allSatisfy({ $0.elementType == .float32 }),
      let layout = SharedMemoryLayout(values.map { $0.count * MemoryLayout<Float>.size })
    else { throw ModelError(.output, .unsupported("outputs of steps that are no 32-bit floats")) }
    (stepOutputs, isAwaitingOutputMemory) = ((values, layout), true)
    return .outputMemoryRequired(layout.byteCount)
  }

  /// Writes other outputs of a step to shared memory; `nil` if the memory is for those of a session.
  private mutating func writeStepOutputs() throws(ModelError) -> WorkerResponse? {
    guard let (values, layout) = stepOutputs.take() else { return nil }
    isAwaitingOutputMemory = false
    let outputs = try require(outputs)
    for (value, range) in zip(values, layout.ranges) {
      try value.withBytes { (bytes) throws(ModelError) in
        guard outputs.copy(bytes, into: range) else { throw .unexpectedRequest }
      }
    }
    return .outputs(
      zip(values, layout.ranges).map { value, range in
        OutputLocation(shape: TensorShape(signedDimensions: value.shape), range: range)
      })
  }

  private func writeScores(after index: Int) throws(ModelError) {
    let outputs = try require(outputs)
    try require(steps).readScores(after: index) { (scores) throws(ModelError) in
      guard outputs.copy(scores) else { throw .unexpectedRequest }
    }
  }

  private func limitProcessorTime() {
    guard let seconds = configuration?.processorSeconds, seconds > 0 else { return }
    _ = WorkerProcessSetup.limitProcessorTime(seconds: seconds)
  }

  private func require<Value>(_ value: Value?) throws(ModelError) -> Value {
    guard let value else { throw .unexpectedRequest }
    return value
  }
}

extension ModelError {
  /// A request was sent before those on which it depends.
  static let unexpectedRequest = ModelError(
    .run, .failed("the worker process received a request out of order"))

  /// The system did not map memory received with a request.
  static let unmappableMemory = ModelError(
    .run, .failed("the worker process could not map shared memory"))
}

extension SharedMemory {
  /// Maps the memory received with a request.
  static func receiving(
    _ descriptor: CInt?, _ byteCount: Int, isWritable: Bool
  ) throws(ModelError) -> SharedMemory {
    guard let descriptor,
      let memory = SharedMemory(
        received: descriptor, byteCount: byteCount, isWritable: isWritable)
    else { throw .unmappableMemory }
    return memory
  }
}

extension Session {
  /// Fills an input from shared memory or with the strings of the payload.
  func fill(_ payload: InputPayload, from memory: SharedMemory) throws(ModelError) {
    switch payload {
    case .strings(let input, let strings): try fill(input, strings: strings)
    case .bytes(let input, let range):
      try fill(input) { (span) throws(ModelError) in
        guard span.byteCount == range.count else {
          throw ModelError(
            .input, .wrongByteCount(expected: span.byteCount, actual: range.count))
        }
        try span.copy(range, from: memory)
      }
    }
  }
}

extension MutableRawSpan {
  fileprivate mutating func copy(
    _ range: Range<Int>, from memory: SharedMemory
  ) throws(ModelError) {
    guard memory.copy(range, into: &self) else {
      throw ModelError(.input, .failed("an input is outside the shared memory"))
    }
  }
}

/// The layout of a run's outputs in shared memory.
struct OutputLayout {
  private let shapes: [TensorShape]
  /// The encoded string outputs by index.
  private let strings: [Int: [UInt8]]
  /// The ranges of the outputs.
  let memoryLayout: SharedMemoryLayout

  /// Measures the outputs of a session.
  init(_ session: any Session, _ outputs: [TensorInfo]) throws(ModelError) {
    var (shapes, strings, byteCounts): ([TensorShape], [Int: [UInt8]], [Int]) = ([], [:], [])
    for (index, output) in outputs.enumerated() {
      if output.elementType == .string {
        let (packed, count) = try session.packedStrings(index)
        strings[index] = packed
        // Sessions report the number of strings but not their shape.
        shapes.append(TensorShape(signedDimensions: [count]))
        byteCounts.append(packed.count)
      } else {
        try session.read(index) { (span, shape) throws(ModelError) in
          shapes.append(TensorShape(signedDimensions: shape))
          byteCounts.append(span.byteCount)
        }
      }
    }
    guard let layout = SharedMemoryLayout(byteCounts) else {
      throw ModelError(
        .output, .unsupported("outputs of more than \(SharedMemoryLayout.maxByteCount) bytes"))
    }
    (self.shapes, self.strings, self.memoryLayout) = (shapes, strings, layout)
  }

  /// Copies the outputs to shared memory and returns their locations.
  func write(
    to memory: SharedMemory, from session: any Session
  ) throws(ModelError) -> [OutputLocation] {
    for (index, range) in memoryLayout.ranges.enumerated() {
      if let packed = strings[index] {
        memory.copy(packed, into: range)
      } else {
        try session.read(index) { (span, _) throws(ModelError) in memory.copy(span, into: range) }
      }
    }
    return zip(shapes, memoryLayout.ranges).map { OutputLocation(shape: $0, range: $1) }
  }
}

extension Session {
  fileprivate func packedStrings(_ output: Int) throws(ModelError) -> (bytes: [UInt8], count: Int) {
    let strings = try readStrings(output)
    var writer = FrameWriter()
    writer.append(strings)
    return (writer.bytes, strings.count)
  }
}
