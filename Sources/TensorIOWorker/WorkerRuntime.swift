internal import TensorIOCore
internal import TensorIOIsolation
internal import TensorIOLiteRT
internal import TensorIOTensorFlow

/// The runtime that a worker is for, with its library open.
enum WorkerRuntime {
  case liteRT(LiteRTBackend)
  case tensorFlow(TensorFlowBackend)

  /// Opens the library.
  init(_ orders: WorkerOrders) throws(ModelError) {
    switch orders.backend {
    case .tflite:
      let backend = LiteRTBackend(library: orders.library)
      _ = try backend.locate()
      self = .liteRT(backend)
    case .tensorflow:
      var backend = TensorFlowBackend(
        library: orders.library, trustingGraphs: orders.trustsGraphs)
      backend.canWrite = orders.level != .sandbox
      _ = try backend.locate()
      self = .tensorFlow(backend)
    default:
      throw ModelError(
        .runtime, .unknownBackend(orders.backend, known: [.tflite, .tensorflow]))
    }
  }

  /// Loads a model from memory, or from the folder that it is.
  func load(_ orders: LoadOrders, _ memory: CInt?) throws(ModelError) -> any RuntimeModel {
    switch self {
    case .liteRT(let backend):
      let bytes = try Self.bytes(orders, memory)
      do throws(ModelError) {
        return try backend.model(bytes: bytes)
      } catch {
        throw error.in(file: orders.path)
      }
    case .tensorFlow(let backend):
      return try backend.load(ModelFile(path: orders.path, name: orders.name), for: orders.use.use)
    }
  }

  private static func bytes(_ orders: LoadOrders, _ memory: CInt?) throws(ModelError) -> [UInt8] {
    let byteCount = orders.byteCount ?? 0
    let memory = try SharedMemory.taking(memory, byteCount, isWritable: false)
    return memory.copy(0..<byteCount) ?? []
  }
}
