import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// The runtime of a worker process, with its library open.
struct WorkerRuntime {
  private let backend: any IsolatableBackend

  /// Opens the library of the configured runtime.
  init(
    _ configuration: WorkerConfiguration, among runtimes: [RuntimeDescriptor]
  ) throws(ModelError) {
    let runtime = try runtimes.runtime(configuration.backend)
    var settings = RuntimeSettings(
      library: configuration.library, trustsGraphs: configuration.trustsGraphs)
    settings.canWriteFiles = configuration.level != .sandbox
    guard let backend = runtime.makeBackend(settings) as? any IsolatableBackend else {
      throw .unsupportedIsolation(of: runtime)
    }
    try backend.prepareForIsolation()
    self.backend = backend
  }

  /// Loads a model from its bytes, or from the path in the request if `mapping` is `nil`.
  func load(_ request: LoadRequest, _ mapping: FileMapping?) throws(ModelError) -> any RuntimeModel
  {
    let file = ModelFile(path: request.path, name: request.name)
    let use = request.modelUse.modelBinding
    guard let mapping else { return try backend.load(file, for: use) }
    return try backend.load(mapping, of: file, for: use)
  }
}

extension ModelError {
  /// A runtime cannot run in a worker process.
  static func unsupportedIsolation(of runtime: RuntimeDescriptor) -> ModelError {
    ModelError(.runtime, .unsupported("\(runtime.displayName) in a worker process"))
  }
}
