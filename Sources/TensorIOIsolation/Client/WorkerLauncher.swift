package import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// How workers for one model are started.
struct WorkerLauncher: Sendable {
  let executable: String
  let isolation: Isolation
  let backend: BackendIdentifier
  let library: String?
  let trustsGraphs: Bool
  let circuitBreaker: CrashLoopBreaker
  let onLaunch: (@Sendable (Int32) -> Void)?
  let modelKey: CrashLoopBreaker.ModelKey

  /// A worker that has loaded the model, and what the runtime says of it.
  func launch(for source: WorkerModelSource) throws(ModelError) -> (WorkerClient, LoadedModelInfo) {
    let worker = try startWorker()
    try worker.callExpectingDone(.configure(configuration(for: source)))
    guard case .modelLoaded(let facts) = try worker.call(.load(source.loadRequest), with: source.bytes) else {
      throw worker.protocolViolation("no model")
    }
    return (worker, facts)
  }

  /// Has a worker prepare itself, and lets it go.
  func checkAvailability() throws(ModelError) {
    try startWorker().callExpectingDone(.configure(configuration(memoryLimit: 0, readableFolder: nil)))
  }

  private func startWorker() throws(ModelError) -> WorkerClient {
    try circuitBreaker.throwIfSuspended( modelKey)
    let worker = try WorkerClient(command, timeout: isolation.timeout) { [circuitBreaker, modelKey] in
      circuitBreaker.recordCrash(of: modelKey)
    }
    if let onLaunch, let id = worker.processID { onLaunch(id) }
    return worker
  }

  private var command: WorkerCommand {
    WorkerCommand(
      path: executable, arguments: ["\(CurrentProcess.id)"], environment: WorkerEnvironment.current,
      inheritsStandardError: Platform.environment("TENSORIO_LOG") == "debug")
  }

  private func configuration(for source: WorkerModelSource) -> WorkerConfiguration {
    configuration(
      memoryLimit: isolation.memoryLimit ?? Self.defaultMemoryLimit(for: source),
      readableFolder: source.bytes == nil ? source.loadRequest.path : nil)
  }

  private func configuration(memoryLimit: Int, readableFolder: String?) -> WorkerConfiguration {
    WorkerConfiguration(
      backend: backend, library: library, trustsGraphs: trustsGraphs, memoryLimit: memoryLimit,
      processorSeconds: isolation.maxCPUSeconds ?? 0, level: isolation.level, readableFolder: readableFolder)
  }

  /// Enough addresses for the runtime and what it makes of a model; TensorFlow reserves many that it
  /// never uses.
  private static func defaultMemoryLimit(for source: WorkerModelSource) -> Int {
    guard let bytes = source.bytes else { return 64 << 30 }
    return (2 << 30) + 8 * bytes.byteCount + source.loadRequest.modelUse.threads * (128 << 20)
  }
}

/// Where the worker's program is looked for.
///
/// What a caller or a variable names outright is the only place.
package struct WorkerExecutableLocator: Sendable {
  /// The variable that names the program.
  package static let environmentVariable = "TENSORIO_WORKER"
  /// The program's file.
  package static let executableName = "tensorio-worker"

  /// The places, in order.
  package let candidates: [String]

  /// The places for an option's value, the variable's, and the path of the running program.
  package init(option: String?, variable: String?, executable: String?) {
    if let named = option ?? variable {
      candidates = [named]
    } else if let executable {
      let folder = FilePath.parent(of: executable)
      candidates = ["", "/libexec/tensorio", "/../libexec/tensorio"].map {
        "\(folder)\($0)/\(Self.executableName)"
      }
    } else {
      candidates = []
    }
  }

  /// The program.
  package func find() throws(ModelError) -> String {
    guard let path = candidates.first(where: { FileKind(at: $0) == .file }) else {
      throw ModelError(.runtime, .workerMissing(searched: candidates))
    }
    return path
  }
}

/// The few variables that a worker gets: where runtimes are, and how many threads they may use.
///
/// Not the loader's: a library that a variable slips in is in no worker.
enum WorkerEnvironment {
  static let passedVariables = [
    "TENSORIO_LITERT_LIBRARY", "TENSORIO_TENSORFLOW_LIBRARY", "TENSORIO_THREADS", "OMP_NUM_THREADS",
    "TENSORIO_LOG",
  ]

  /// A worker that crashes is to end, and not to look at itself for seconds.
  private static let disabledBacktrace = "SWIFT_BACKTRACE=enable=no"

  static var current: [String] {
    let homes = [DataDirectory.environmentVariable, "XDG_DATA_HOME", "HOME"].compactMap { name in
      Platform.environment(name).map { (name, $0) }
    }
    let folder = DataDirectory(environment: Dictionary(uniqueKeysWithValues: homes))
    let home = folder.map { "\(DataDirectory.environmentVariable)=\(AbsolutePath.of($0.path))" }
    return [home, disabledBacktrace].compactMap(\.self)
      + passedVariables.compactMap { name in Platform.environment(name).map { "\(name)=\(path(name, $0))" } }
  }

  /// A worker stands in another folder, where a relative path means something else.
  private static func path(_ name: String, _ value: String) -> String {
    name.hasSuffix("_LIBRARY") && value.contains("/") ? AbsolutePath.of(value) : value
  }
}

/// Paths that mean the same wherever a process stands.
enum AbsolutePath {
  static func of(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    return FilePath.resolved(path) ?? "\(FilePath.resolved(".") ?? "")/\(path)"
  }
}
