package import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// Launches worker processes for one model.
struct WorkerLauncher: Sendable {
  let executable: String
  let isolation: Isolation
  let runtime: RuntimeDescriptor
  let requirements: WorkerRequirements
  let settings: RuntimeSettings
  let circuitBreaker: CrashLoopBreaker
  let onLaunch: (@Sendable (Int32) -> Void)?
  let modelKey: CrashLoopBreaker.ModelKey

  /// Launches a worker process, loads the model and returns its description.
  func launch(for source: WorkerModelSource) throws(ModelError) -> (WorkerClient, LoadedModelInfo) {
    let worker = try startWorker()
    try worker.callExpectingDone(.configure(configuration(for: source)))
    let response = try worker.call(.load(source.loadRequest), with: source.bytes)
    guard case .modelLoaded(let info) = response else { throw worker.protocolViolation("no model") }
    return (worker, info)
  }

  /// Launches and configures a worker process, and terminates it.
  func checkAvailability() throws(ModelError) {
    try startWorker().callExpectingDone(
      .configure(configuration(memoryLimit: 0, readableFolder: nil)))
  }

  private func startWorker() throws(ModelError) -> WorkerClient {
    try circuitBreaker.throwIfSuspended(modelKey)
    let worker = try WorkerClient(command, timeout: isolation.timeout) {
      [circuitBreaker, modelKey] wasIdle in
      // No request is to blame for a process that was killed while it was idle.
      if !wasIdle { circuitBreaker.recordCrash(of: modelKey) }
      WorkerProcessRegistry.recordCrash(of: modelKey.path)
    }
    WorkerProcessRegistry.recordLaunch(for: modelKey.path)
    if let onLaunch, let id = worker.processID { onLaunch(id) }
    return worker
  }

  private var command: WorkerCommand {
    WorkerCommand(
      path: executable, arguments: ["\(CurrentProcess.id)"],
      environment: WorkerEnvironment.current(for: runtime),
      inheritsStandardError: Platform.environment("TENSORIO_LOG") == "debug")
  }

  private func configuration(for source: WorkerModelSource) -> WorkerConfiguration {
    configuration(
      memoryLimit: isolation.memoryLimit
        ?? requirements.memoryLimit(
          modelByteCount: source.bytes?.byteCount ?? 0,
          threads: source.loadRequest.modelUse.threads),
      readableFolder: source.readableFolder)
  }

  private func configuration(memoryLimit: Int, readableFolder: String?) -> WorkerConfiguration {
    WorkerConfiguration(
      backend: runtime.identifier, library: settings.library, trustsGraphs: settings.trustsGraphs,
      memoryLimit: memoryLimit, processorSeconds: isolation.maxCPUSeconds ?? 0,
      level: isolation.level,
      readableFolder: readableFolder)
  }
}

/// Locates the worker executable.
///
/// A path given by the caller or by the environment variable replaces the search.
package struct WorkerExecutableLocator: Sendable {
  /// The environment variable for the path of the executable.
  package static let environmentVariable = "TENSORIO_WORKER"
  /// The file name of the executable.
  package static let executableName = "tensorio-worker"

  /// The paths to try, in order.
  package let candidates: [String]

  /// Creates a locator.
  ///
  /// - Parameters:
  ///   - option: The path given by the caller.
  ///   - variable: The value of the environment variable.
  ///   - executable: The path of the running program.
  package init(option: String?, variable: String?, executable: String?) {
    if let path = option ?? variable {
      candidates = [path]
    } else if let executable {
      let folder = FilePath.parent(of: executable)
      candidates = ["", "/libexec/tensorio", "/../libexec/tensorio"].map {
        "\(folder)\($0)/\(Self.executableName)"
      }
    } else {
      candidates = []
    }
  }

  /// Returns the path of the executable.
  ///
  /// - Throws: `ModelError` with the reason `workerMissing`.
  package func find() throws(ModelError) -> String {
    guard !candidates.isEmpty else {
      let detail = "/proc/self/exe (cannot be read; mount /proc, or set the variable)"
      throw ModelError(.runtime, .workerMissing(searched: [detail]))
    }
    guard let path = candidates.first(where: { FileKind(at: $0) == .file }) else {
      throw ModelError(.runtime, .workerMissing(searched: candidates))
    }
    return path
  }
}

/// The environment of a worker process: the location of its runtime and the number of threads.
///
/// Variables of the dynamic loader are not passed, so that they cannot inject libraries.
enum WorkerEnvironment {
  private static let passedVariables = [
    "TENSORIO_THREADS", "OMP_NUM_THREADS", "TENSORIO_LOG",
  ]

  /// Disables Swift's backtraces, which would delay the exit of a crashed process by seconds.
  private static let disabledBacktrace = "SWIFT_BACKTRACE=enable=no"

  /// Returns the environment for a runtime, as `NAME=value`.
  static func current(for runtime: RuntimeDescriptor) -> [String] {
    let homes = [DataDirectory.environmentVariable, "XDG_DATA_HOME", "HOME"].compactMap { name in
      Platform.environment(name).map { (name, $0) }
    }
    let folder = DataDirectory(environment: Dictionary(uniqueKeysWithValues: homes))
    let home = folder.map { "\(DataDirectory.environmentVariable)=\(AbsolutePath.of($0.path))" }
    let variables = passedVariables + [runtime.library?.environmentVariable].compactMap(\.self)
    return [home, disabledBacktrace].compactMap(\.self)
      + variables.compactMap { name in
        Platform.environment(name).map { "\(name)=\(path(name, $0))" }
      }
  }

  /// Returns the value of a variable with library paths made absolute, because a worker process has
  /// another working directory.
  private static func path(_ name: String, _ value: String) -> String {
    name.hasSuffix("_LIBRARY") && value.contains("/") ? AbsolutePath.of(value) : value
  }
}

/// Conversion to absolute paths.
enum AbsolutePath {
  /// Returns the absolute path of a file that may not exist.
  static func of(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    return FilePath.resolved(path) ?? "\(FilePath.resolved(".") ?? "")/\(path)"
  }
}
