public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// A runtime whose models run in processes of their own.
///
/// Each session has a worker, which has loaded the model for it alone. What a worker answers is checked
/// as if an enemy had said it, and tensors go through memory that both see.
///
///     let backend = IsolatedBackend(.tflite)
///
/// A worker that crashes or does not answer ends the call that it was asked for with a typed error; the
/// next call gets a new one. A model that keeps ending its workers is put aside for a while.
public struct IsolatedBackend: Backend {
  /// The word by which `model.json` asks for the runtime.
  public let identifier: BackendIdentifier
  /// How workers are kept.
  public let isolation: Isolation

  /// Told of the process of every worker that has been started.
  package var onWorkerLaunch: (@Sendable (Int32) -> Void)?

  private let library: String?
  private let trustsGraphs: Bool
  private let circuitBreaker: CrashLoopBreaker

  /// A runtime by its identifier, with its library where that is not in the usual places.
  public init(
    _ identifier: BackendIdentifier, library: String? = nil, trustingGraphs: Bool = false,
    isolation: Isolation = Isolation()
  ) {
    self.identifier = identifier
    self.library = library
    self.isolation = isolation
    trustsGraphs = trustingGraphs
    circuitBreaker = CrashLoopBreaker(maxCrashes: isolation.maxCrashes, window: isolation.crashWindow)
  }

  /// Loads a model in a worker.
  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    guard use.mode != .train else {
      throw ModelError(.runtime, .unsupported("training in a worker"), file: file.path)
    }
    return try IsolatedModel(WorkerModelSource(file, use), launcher(for: file))
  }

  /// Starts a worker without a model, to see whether one can be had.
  public func checkAvailability() throws(ModelError) {
    try launcher(for: ModelFile(path: "", name: "")).checkAvailability()
  }

  private func launcher(for file: ModelFile) throws(ModelError) -> WorkerLauncher {
    let place = WorkerExecutableLocator(
      option: isolation.workerPath, variable: Platform.environment(WorkerExecutableLocator.environmentVariable),
      executable: CurrentExecutable.path)
    let library = library.map { $0.contains("/") ? AbsolutePath.of($0) : $0 }
    return WorkerLauncher(
      executable: try place.find(), isolation: isolation, backend: identifier, library: library,
      trustsGraphs: trustsGraphs, circuitBreaker: circuitBreaker, onLaunch: onWorkerLaunch,
      modelKey: CrashLoopBreaker.ModelKey(path: file.path, stamp: FileStamp(file.path)))
  }
}
