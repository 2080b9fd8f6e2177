package import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// A backend that runs models in worker processes.
///
/// Each session has its own worker process, which loads the model separately. Tensors are exchanged
/// through shared memory. Responses of a worker process are untrusted and validated.
///
///     let backend = IsolatedBackend(.tflite)
///
/// If a worker process crashes or exceeds the timeout, the current call throws a `ModelError` and
/// the next call launches a new worker process. A model that crashes repeatedly is suspended for a
/// while.
package struct IsolatedBackend: Backend {
  /// The backend's name in `model.json`.
  package let identifier: BackendIdentifier
  /// The isolation settings.
  package let isolation: Isolation

  /// Called with the process ID of each launched worker process.
  package var onWorkerLaunch: (@Sendable (Int32) -> Void)?

  private let library: String?
  private let trustsGraphs: Bool
  private let circuitBreaker: CrashLoopBreaker

  /// Creates a backend that runs the given runtime in worker processes.
  ///
  /// - Parameters:
  ///   - identifier: The runtime.
  ///   - library: The path of the runtime's library; `nil` searches the default locations.
  ///   - trustingGraphs: Whether to load TensorFlow graphs without a review of their operators.
  ///   - isolation: The isolation settings.
  package init(
    _ identifier: BackendIdentifier, library: String? = nil, trustingGraphs: Bool = false,
    isolation: Isolation = Isolation()
  ) {
    self.identifier = identifier
    self.library = library
    self.isolation = isolation
    trustsGraphs = trustingGraphs
    circuitBreaker = CrashLoopBreaker(
      maxCrashes: isolation.maxCrashes, window: isolation.crashWindow)
  }

  /// Loads a model in a worker process.
  ///
  /// - Throws: `ModelError` if the mode is `train`, which worker processes do not support, or if
  ///   the model cannot be loaded.
  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    guard use.mode != .train else {
      throw ModelError(.runtime, .unsupported("training in a worker process"), file: file.path)
    }
    return try IsolatedModel(WorkerModelSource(file, use), launcher(for: file))
  }

  /// Launches a worker process without a model to verify that isolation works.
  ///
  /// - Throws: `ModelError` if a worker process cannot be launched or sandboxed.
  package func checkAvailability() throws(ModelError) {
    try launcher(for: ModelFile(path: "", name: "")).checkAvailability()
  }

  private func launcher(for file: ModelFile) throws(ModelError) -> WorkerLauncher {
    let locator = WorkerExecutableLocator(
      option: isolation.workerPath,
      variable: Platform.environment(WorkerExecutableLocator.environmentVariable),
      executable: CurrentExecutable.path)
    let library = library.map { $0.contains("/") ? AbsolutePath.of($0) : $0 }
    return WorkerLauncher(
      executable: try locator.find(), isolation: isolation, backend: identifier, library: library,
      trustsGraphs: trustsGraphs, circuitBreaker: circuitBreaker, onLaunch: onWorkerLaunch,
      modelKey: CrashLoopBreaker.ModelKey(path: file.path, stamp: FileStamp(file.path)))
  }
}
