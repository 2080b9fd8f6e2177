internal import TensorIOCore
internal import TensorIOSystem

/// How workers for one model are started.
struct WorkerHiring: Sendable {
  let program: String
  let isolation: Isolation
  let backend: BackendIdentifier
  let library: String?
  let trustsGraphs: Bool
  let deaths: DeathRecord
  let onStart: (@Sendable (Int32) -> Void)?
  let model: DeathRecord.Model

  /// A worker that has loaded the model, and what the runtime says of it.
  func hire(for source: ModelSource) throws(ModelError) -> (Worker, ModelFacts) {
    let worker = try newWorker()
    try worker.command(.prepare(orders(for: source)))
    guard case .model(let facts) = try worker.call(.load(source.orders), with: source.bytes) else {
      throw worker.senseless("no model")
    }
    return (worker, facts)
  }

  /// Has a worker prepare itself, and lets it go.
  func check() throws(ModelError) {
    try newWorker().command(.prepare(orders(memoryLimit: 0, folder: nil)))
  }

  private func newWorker() throws(ModelError) -> Worker {
    try deaths.requireLeave(for: model)
    let worker = try Worker(command, timeLimit: isolation.timeLimit) { [deaths, model] in
      deaths.note(model)
    }
    if let onStart, let id = worker.id { onStart(id) }
    return worker
  }

  private var command: WorkerCommand {
    WorkerCommand(
      path: program, arguments: ["\(OwnProcess.id)"], environment: WorkerEnvironment.current,
      keepsErrors: Platform.environment("TENSORIO_LOG") == "debug")
  }

  private func orders(for source: ModelSource) -> WorkerOrders {
    orders(
      memoryLimit: isolation.memoryLimit ?? Self.memoryLimit(for: source),
      folder: source.bytes == nil ? source.orders.path : nil)
  }

  private func orders(memoryLimit: Int, folder: String?) -> WorkerOrders {
    WorkerOrders(
      backend: backend, library: library, trustsGraphs: trustsGraphs, memoryLimit: memoryLimit,
      processorSeconds: isolation.processorSeconds ?? 0, level: isolation.level, folder: folder)
  }

  /// Enough addresses for the runtime and what it makes of a model; TensorFlow reserves many that it
  /// never uses.
  private static func memoryLimit(for source: ModelSource) -> Int {
    guard let bytes = source.bytes else { return 64 << 30 }
    return (2 << 30) + 8 * bytes.byteCount + source.orders.use.threads * (128 << 20)
  }
}
