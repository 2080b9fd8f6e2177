internal import TensorIOCore
internal import TensorIOIsolation

/// What a worker has at hand: a runtime, then a model, then a session with its memory.
struct Workbench {
  private let runtimeType: any WorkerRuntime.Type
  private var orders: WorkerOrders?
  private var runtime: (any WorkerRuntime)?
  private var model: (any RuntimeModel)?
  private var session: (any Session)?
  private var inputs: SharedMemory?
  private var outputs: SharedMemory?
  /// Whether outputs wait for memory that they fit in.
  private var isWaitingForRoom = false

  init(_ runtimeType: any WorkerRuntime.Type) {
    self.runtimeType = runtimeType
  }

  /// Does what is asked for, and tells what came of it.
  mutating func answer(_ request: Request, _ memory: CInt?) -> Answer {
    do throws(ModelError) {
      return try perform(request, memory)
    } catch {
      return .failed(error)
    }
  }

  private mutating func perform(
    _ request: Request, _ memory: CInt?
  ) throws(ModelError) -> Answer {
    switch request {
    case .prepare(let orders): try prepare(orders)
    case .load(let orders): return .model(try load(orders, memory))
    case .session(let threads):
      session = try present(model).makeSession(SessionOptions(threads: threads))
    case .resize(let shapes): try present(session).resize(shapes.map(\.signed))
    case .memory(let side, let byteCount): return try take(memory, byteCount, side)
    case .invoke(let feeds): return try invoke(feeds)
    }
    return .done
  }

  private mutating func prepare(_ orders: WorkerOrders) throws(ModelError) {
    guard runtime == nil else { throw .outOfTurn }
    self.orders = orders
    let runtime = try runtimeType.init(orders)
    if orders.level == .sandbox { try cage(orders) }
    guard WorkerLife.watchParent(), WorkerLife.limit(addressSpace: orders.memoryLimit) else {
      throw ModelError(.runtime, .failed("the worker cannot limit itself"))
    }
    self.runtime = runtime
  }

  /// The library is open by now, and no byte of the model is here yet.
  private func cage(_ orders: WorkerOrders) throws(ModelError) {
    let missing = WorkerLife.cage(reading: orders.folder)
    guard missing.isEmpty else { throw ModelError(.runtime, .notSandboxed(missing: missing)) }
  }

  private mutating func load(
    _ orders: LoadOrders, _ memory: CInt?
  ) throws(ModelError) -> ModelFacts {
    limitTime()
    let runtime = try present(runtime)
    let model = try runtime.load(orders, bytes: try bytes(orders, memory))
    self.model = model
    return ModelFacts(
      signature: model.signature, signatures: model.signatures, warnings: model.warnings)
  }

  /// A copy of the model's bytes; `nil` where the model is a folder.
  private func bytes(
    _ orders: LoadOrders, _ memory: CInt?
  ) throws(ModelError) -> [UInt8]? {
    guard let byteCount = orders.byteCount else { return nil }
    let memory = try SharedMemory.taking(memory, byteCount, isWritable: false)
    return memory.copy(0..<byteCount) ?? []
  }

  private mutating func take(
    _ memory: CInt?, _ byteCount: Int, _ side: TensorSide
  ) throws(ModelError) -> Answer {
    let memory = try SharedMemory.taking(memory, byteCount, isWritable: side == .outputs)
    switch side {
    case .inputs: inputs = memory
    case .outputs: outputs = memory
    }
    guard isWaitingForRoom, side == .outputs else { return .done }
    return try deliver()
  }
}

extension Workbench {
  private mutating func invoke(_ feeds: [Feed]) throws(ModelError) -> Answer {
    limitTime()
    let (session, inputs) = (try present(session), try present(inputs))
    for feed in feeds { try session.fill(feed, from: inputs) }
    try session.invoke()
    return try deliver()
  }

  /// Puts the outputs where the program sees them, or asks for more room.
  private mutating func deliver() throws(ModelError) -> Answer {
    let (session, outputs) = (try present(session), try present(outputs))
    let parcel = try Parcel(session, try present(model).signature.outputs)
    isWaitingForRoom = parcel.plan.byteCount > outputs.byteCount
    guard !isWaitingForRoom else { return .needsRoom(parcel.plan.byteCount) }
    return .outputs(try parcel.put(into: outputs, from: session))
  }

  private func limitTime() {
    guard let seconds = orders?.processorSeconds, seconds > 0 else { return }
    _ = WorkerLife.limitTime(seconds: seconds)
  }

  private func present<Thing>(_ thing: Thing?) throws(ModelError) -> Thing {
    guard let thing else { throw .outOfTurn }
    return thing
  }
}

extension ModelError {
  /// Something was asked for before what it needs.
  static let outOfTurn = ModelError(.run, .failed("the worker was asked out of turn"))
}

extension SharedMemory {
  /// The memory that came along with a request.
  static func taking(
    _ descriptor: CInt?, _ byteCount: Int, isWritable: Bool
  ) throws(ModelError) -> SharedMemory {
    guard let descriptor,
      let memory = SharedMemory(
        received: descriptor, byteCount: byteCount, isWritable: isWritable)
    else { throw ModelError(.run, .failed("the worker was given no memory")) }
    return memory
  }
}
