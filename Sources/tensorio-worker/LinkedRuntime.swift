package import TensorIOBundle
package import TensorIOCore
package import TensorIOIsolation
package import TensorIOLiteRT
package import TensorIOTensorFlow

/// The runtime that a worker is for, with its library open.
package enum LinkedRuntime: LoadedRuntime {
  case liteRT(LiteRTBackend)
  case tensorFlow(TensorFlowBackend)

  /// Opens the library.
  package init(_ orders: WorkerConfiguration) throws(ModelError) {
    switch orders.backend {
    case .tflite:
      let backend = LiteRTBackend(library: orders.library)
      _ = try backend.locateLibrary()
      self = .liteRT(backend)
    case .tensorflow:
      var backend = TensorFlowBackend(
        library: orders.library, trustingGraphs: orders.trustsGraphs)
      backend.canWriteFiles = orders.level != .sandbox
      _ = try backend.locateLibrary()
      self = .tensorFlow(backend)
    default:
      throw ModelError(
        .runtime, .unknownBackend(orders.backend, known: [.tflite, .tensorflow]))
    }
  }

  /// Loads a model from memory, or from the folder that it is.
  package func load(_ orders: LoadRequest, bytes: [UInt8]?) throws(ModelError) -> any RuntimeModel {
    switch self {
    case .liteRT(let backend):
      do throws(ModelError) {
        return try backend.model(bytes: bytes ?? [])
      } catch {
        throw error.in(file: orders.path)
      }
    case .tensorFlow(let backend):
      return try backend.load(ModelFile(path: orders.path, name: orders.name), for: orders.modelUse.modelUse)
    }
  }
}
