import TensorIOBundle
import TensorIOCore

/// What a worker has at hand: a runtime, then a model, then a session with its memory.
struct WorkerRequestHandler {
  private let runtimeType: any LoadedRuntime.Type
  private var configuration: WorkerConfiguration?
  private var runtime: (any LoadedRuntime)?
  private var model: (any RuntimeModel)?
  private var session: (any Session)?
  private var inputs: SharedMemory?
  private var outputs: SharedMemory?
  /// Whether outputs wait for memory that they fit in.
  private var isAwaitingOutputMemory = false

  init(_ runtimeType: any LoadedRuntime.Type) {
    self.runtimeType = runtimeType
  }

  /// Does what is asked for, and tells what came of it.
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
    case .configure(let orders): try configure(orders)
    case .load(let orders): return .modelLoaded(try load(orders, memory))
    case .makeSession(let threads):
      session = try require(model).makeSession(SessionOptions(threads: threads))
    case .resize(let shapes): try require(session).resize(shapes.map(\.signedDimensions))
    case .attachMemory(let side, let byteCount): return try attachMemory(memory, byteCount, side)
    case .invoke(let feeds): return try invoke(feeds)
    }
    return .done
  }

  private mutating func configure(_ orders: WorkerConfiguration) throws(ModelError) {
    guard runtime == nil else { throw .unexpectedRequest }
    self.configuration = orders
    let runtime = try runtimeType.init(orders)
    if orders.level == .sandbox { try enterSandbox(orders) }
    guard WorkerProcessSetup.startParentMonitor(), WorkerProcessSetup.setLimits(addressSpace: orders.memoryLimit) else {
      throw ModelError(.runtime, .failed("the worker cannot limit itself"))
    }
    self.runtime = runtime
  }

  /// The library is open by now, and no byte of the model is here yet.
  private func enterSandbox(_ orders: WorkerConfiguration) throws(ModelError) {
    let missing = WorkerProcessSetup.enterSandbox(readableFolder: orders.readableFolder)
    guard missing.isEmpty else { throw ModelError(.runtime, .sandboxUnavailable(missing: missing)) }
  }

  private mutating func load(
    _ orders: LoadRequest, _ memory: CInt?
  ) throws(ModelError) -> LoadedModelInfo {
    limitProcessorTime()
    let runtime = try require(runtime)
    let model = try runtime.load(orders, bytes: try bytes(orders, memory))
    self.model = model
    return LoadedModelInfo(
      signature: model.signature, signatures: model.signatures, warnings: model.warnings)
  }

  /// A copy of the model's bytes; `nil` where the model is a folder.
  private func bytes(
    _ orders: LoadRequest, _ memory: CInt?
  ) throws(ModelError) -> [UInt8]? {
    guard let byteCount = orders.byteCount else { return nil }
    let memory = try SharedMemory.receiving(memory, byteCount, isWritable: false)
    return memory.copy(0..<byteCount) ?? []
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
    return try writeOutputs()
  }
}

extension WorkerRequestHandler {
  private mutating func invoke(_ feeds: [InputPayload]) throws(ModelError) -> WorkerResponse {
    limitProcessorTime()
    let (session, inputs) = (try require(session), try require(inputs))
    for feed in feeds { try session.fill(feed, from: inputs) }
    try session.invoke()
    return try writeOutputs()
  }

  /// Puts the outputs where the program sees them, or asks for more room.
  private mutating func writeOutputs() throws(ModelError) -> WorkerResponse {
    let (session, outputs) = (try require(session), try require(outputs))
    let parcel = try OutputLayout(session, try require(model).signature.outputs)
    isAwaitingOutputMemory = parcel.memoryLayout.byteCount > outputs.byteCount
    guard !isAwaitingOutputMemory else { return .outputMemoryRequired(parcel.memoryLayout.byteCount) }
    return .outputs(try parcel.write(to: outputs, from: session))
  }

  private func limitProcessorTime() {
    guard let seconds = configuration?.processorSeconds, seconds > 0 else { return }
    _ = WorkerProcessSetup.limitProcessorTime(seconds: seconds)
  }

  private func require<Thing>(_ thing: Thing?) throws(ModelError) -> Thing {
    guard let thing else { throw .unexpectedRequest }
    return thing
  }
}

extension ModelError {
  /// Something was asked for before what it needs.
  static let unexpectedRequest = ModelError(.run, .failed("the worker was asked out of turn"))
}

extension SharedMemory {
  /// The memory that came along with a request.
  static func receiving(
    _ descriptor: CInt?, _ byteCount: Int, isWritable: Bool
  ) throws(ModelError) -> SharedMemory {
    guard let descriptor,
      let memory = SharedMemory(
        received: descriptor, byteCount: byteCount, isWritable: isWritable)
    else { throw ModelError(.run, .failed("the worker was given no memory")) }
    return memory
  }
}

extension Session {
  /// Fills an input with what lies in shared memory, or came along.
  func fill(_ feed: InputPayload, from memory: SharedMemory) throws(ModelError) {
    switch feed {
    case .strings(let input, let texts): try fill(input, strings: texts)
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
      throw ModelError(.input, .failed("the worker was given too little memory"))
    }
  }
}

/// The outputs of a run on their way into shared memory.
struct OutputLayout {
  private let shapes: [TensorShape]
  /// The outputs of texts, packed; no others.
  private let strings: [Int: [UInt8]]
  /// Where they will lie.
  let memoryLayout: SharedMemoryLayout

  /// Measures what a session has computed.
  init(_ session: any Session, _ outputs: [TensorInfo]) throws(ModelError) {
    var (shapes, texts, byteCounts): ([TensorShape], [Int: [UInt8]], [Int]) = ([], [:], [])
    for (index, output) in outputs.enumerated() {
      if output.elementType == .string {
        let (packed, count) = try session.packedStrings(index)
        texts[index] = packed
        // How texts are laid out, sessions do not tell; how many there are, they do.
        shapes.append(TensorShape(signedDimensions: [count]))
        byteCounts.append(packed.count)
      } else {
        try session.read(index) { (span, shape) throws(ModelError) in
          shapes.append(TensorShape(signedDimensions: shape))
          byteCounts.append(span.byteCount)
        }
      }
    }
    guard let plan = SharedMemoryLayout(byteCounts) else {
      throw ModelError(.output, .unsupported("outputs of more than \(SharedMemoryLayout.maxByteCount) bytes"))
    }
    (self.shapes, self.strings, self.memoryLayout) = (shapes, texts, plan)
  }

  /// Puts everything into its place.
  func write(to memory: SharedMemory, from session: any Session) throws(ModelError) -> [OutputLocation]
  {
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
    let texts = try readStrings(output)
    var writer = FrameWriter()
    writer.append(texts)
    return (writer.bytes, texts.count)
  }
}
