package import TensorIOCore
package import TensorIOIsolation
package import TensorIOLiteRT
package import TensorIOTensorFlow
import TensorIOWorker

/// The runtime that a worker is for, with its library open.
package enum LinkedRuntime: WorkerRuntime {
  case liteRT(LiteRTBackend)
  case tensorFlow(TensorFlowBackend)

  /// Opens the library.
  package init(_ orders: WorkerOrders) throws(ModelError) {
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
  package func load(_ orders: LoadOrders, bytes: [UInt8]?) throws(ModelError) -> any RuntimeModel {
    switch self {
    case .liteRT(let backend):
      do throws(ModelError) {
        return try backend.model(bytes: bytes ?? [])
      } catch {
        throw error.in(file: orders.path)
      }
    case .tensorFlow(let backend):
      return try backend.load(ModelFile(path: orders.path, name: orders.name), for: orders.use.use)
    }
  }
}
