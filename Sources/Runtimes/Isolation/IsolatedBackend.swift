package import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// A backend that runs models in worker processes.
///
/// Each session has its own worker process, which loads the model separately. Tensors are exchanged
/// through shared memory. Responses of a worker process are untrusted and validated.
///
///     let backend = IsolatedBackend(.liteRT)
///
/// If a worker process crashes or exceeds the timeout, the current call throws a `ModelError` and
/// the next call launches a new worker process. A model that crashes repeatedly is suspended for a
/// while.
package struct IsolatedBackend: Backend {
  /// The backend's name in `model.json`.
  package var identifier: BackendIdentifier { runtime.identifier }
  /// The isolation settings.
  package let isolation: Isolation

  /// Called with the process ID of each launched worker process.
  package var onWorkerLaunch: (@Sendable (Int32) -> Void)?

  let runtime: RuntimeDescriptor
  let settings: RuntimeSettings
  private let circuitBreaker: CrashLoopBreaker

  /// Creates a backend that runs the given runtime in worker processes.
  ///
  /// - Parameters:
  ///   - runtime: The runtime, which the worker executable has to contain.
  ///   - settings: The settings of the runtime.
  ///   - isolation: The isolation settings.
  package init(
    _ runtime: RuntimeDescriptor, settings: RuntimeSettings = RuntimeSettings(),
    isolation: Isolation = Isolation()
  ) {
    self.runtime = runtime
    self.settings = settings
    self.isolation = isolation
    circuitBreaker = CrashLoopBreaker(
      maxCrashes: isolation.maxCrashes, window: isolation.crashWindow)
  }

  /// Loads a model in a worker process.
  ///
  /// - Throws: `ModelError` if worker processes do not support the runtime or the mode, which is the
  ///   case for `train`, or if the model cannot be loaded.
  package func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    guard use.mode != .train else {
      throw ModelError(.runtime, .unsupported("training in a worker process"), file: file.path)
    }
    let launcher = try launcher(for: file)
    let access = launcher.requirements.modelAccess
    return try IsolatedModel(WorkerModelSource(file, use, access), launcher)
  }

  /// Launches a worker process without a model to verify that isolation works.
  ///
  /// - Throws: `ModelError` if a worker process cannot be launched or sandboxed.
  package func checkAvailability() throws(ModelError) {
    try launcher(for: ModelFile(path: "", name: "")).checkAvailability()
  }

  private func launcher(for file: ModelFile) throws(ModelError) -> WorkerLauncher {
    guard let requirements = runtime.isolation else { throw .unsupportedIsolation(of: runtime) }
    let locator = WorkerExecutableLocator(
      option: isolation.workerPath,
      variable: Platform.environment(WorkerExecutableLocator.environmentVariable),
      executable: CurrentExecutable.path)
    var settings = settings
    settings.library = settings.library.map { $0.contains("/") ? AbsolutePath.of($0) : $0 }
    return WorkerLauncher(
      executable: try locator.find(), isolation: isolation, runtime: runtime,
      requirements: requirements, settings: settings, circuitBreaker: circuitBreaker,
      onLaunch: onWorkerLaunch,
      modelKey: CrashLoopBreaker.ModelKey(path: file.path, stamp: FileStamp(file.path)))
  }
}
