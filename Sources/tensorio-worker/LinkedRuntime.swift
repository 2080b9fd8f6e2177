package import TensorIOBundle
package import TensorIOCore
package import TensorIOIsolation
package import TensorIOLiteRT
package import TensorIOTensorFlow

/// The runtimes that the worker executable supports.
package enum LinkedRuntime: LoadedRuntime {
  case liteRT(LiteRTBackend)
  case tensorFlow(TensorFlowBackend)

  /// Opens the library of the configured runtime.
  package init(_ configuration: WorkerConfiguration) throws(ModelError) {
    switch configuration.backend {
    case .tflite:
      let backend = LiteRTBackend(library: configuration.library)
      _ = try backend.locateLibrary()
      self = .liteRT(backend)
    case .tensorflow:
      var backend = TensorFlowBackend(
        library: configuration.library, trustingGraphs: configuration.trustsGraphs)
      backend.canWriteFiles = configuration.level != .sandbox
      _ = try backend.locateLibrary()
      self = .tensorFlow(backend)
    default:
      throw ModelError(
        .runtime, .unknownBackend(configuration.backend, known: [.tflite, .tensorflow]))
    }
  }

  /// Loads a LiteRT model from its bytes, or a TensorFlow model from its folder.
  package func load(
    _ request: LoadRequest, bytes: [UInt8]?
  ) throws(ModelError) -> any RuntimeModel {
    switch self {
    case .liteRT(let backend):
      do throws(ModelError) {
        return try backend.model(bytes: bytes ?? [], for: request.modelUse.modelBinding)
      } catch {
        throw error.in(file: request.path)
      }
    case .tensorFlow(let backend):
      return try backend.load(
        ModelFile(path: request.path, name: request.name), for: request.modelUse.modelBinding)
    }
  }
}
