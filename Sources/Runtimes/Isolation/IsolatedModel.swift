import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model that is loaded in one worker process per session, or per sequence of tokens.
final class IsolatedModel: SteppableRuntimeModel {
  let signature: ModelSignature
  let signatures: [ModelSignature]
  let warnings: [Diagnostic]

  private let info: LoadedModelInfo
  private let source: WorkerModelSource
  private let launcher: WorkerLauncher
  /// A worker process that no session uses: the one launched by the initializer, or one that a sequence of tokens has left.
  private let idleWorker: Mutex<WorkerClient?>

  init(_ source: WorkerModelSource, _ launcher: WorkerLauncher) throws(ModelError) {
    let (worker, info) = try Self.launch(launcher, source)
    self.source = source
    self.launcher = launcher
    self.info = info
    signature = info.signature
    signatures = info.signatures
    warnings = info.warnings
    idleWorker = Mutex(worker)
  }

  /// Steps, for a model that was loaded with caches.
  var abilities: ModelAbilities {
    var abilities = ModelAbilities()
    if info.hasSteps { abilities.steps = self }
    return abilities
  }

  func makeStepSession() throws(ModelError) -> any StepSession {
    try IsolatedStepSession(self)
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try IsolatedSession(self, options)
  }

  /// Returns a connection to a worker process with a session: the idle one, or else a new one.
  func connect(_ options: SessionOptions) throws(ModelError) -> WorkerConnection {
    try WorkerConnection(availableWorker(), signature, options, trusted: trustsWorkers)
  }

  /// Whether memory that worker processes write is read in place instead of copied first.
  var trustsWorkers: Bool { launcher.isolation.level == .process }

  /// Returns the idle worker process, or else a new one.
  func availableWorker() throws(ModelError) -> WorkerClient {
    if let idle = takeIdleWorker() { return idle }
    return try launchWorker()
  }

  /// Keeps a worker process for the next session, because loading a large model takes seconds.
  func reuse(_ worker: WorkerClient) {
    guard !worker.isDisconnected else { return }
    idleWorker.withLock { if $0 == nil { $0 = worker } }
  }

  private func takeIdleWorker() -> WorkerClient? {
    idleWorker.withLock { worker in
      defer { worker = nil }
      guard let idle = worker, idle.isDisconnected else { return worker }
      idle.recordIdleExit()
      return nil
    }
  }

  private static func launch(
    _ launcher: WorkerLauncher, _ source: WorkerModelSource
  ) throws(ModelError) -> (WorkerClient, LoadedModelInfo) {
    // The check before the launch gives the better error; the check after it detects changes while
    // the worker was reading.
    try source.requireUnchanged()
    let launched = try launcher.launch(for: source)
    try source.requireUnchanged()
    return launched
  }

  /// Launches another worker process, which must report the same model as the first.
  private func launchWorker() throws(ModelError) -> WorkerClient {
    let (worker, info) = try Self.launch(launcher, source)
    guard info == self.info else { throw worker.protocolViolation("a different model") }
    return worker
  }
}

/// The source from which each worker process loads the model: the bytes of a file, or a path.
final class WorkerModelSource: Sendable {
  let loadRequest: LoadRequest
  /// The bytes of a file in read-only memory; `nil` if workers read the model from its path.
  let bytes: SharedMemory?
  /// The folder that workers read the model from; `nil` if they receive its bytes.
  let readableFolder: String?
  /// The stamp of the folder before the first worker process read it.
  private let folderStamp: DirectoryStamp?

  /// The maximum file size, which is the range of offsets in a flatbuffer.
  private static let maxByteCount = 2 << 30

  /// Reads a file, or stores the path of the model and of the folder that workers read.
  init(
    _ file: ModelFile, _ use: ModelBinding, _ access: WorkerRequirements.ModelAccess
  ) throws(ModelError) {
    let isFolder = FileKind(at: file.path) == .directory
    let path = AbsolutePath.of(file.path)
    readableFolder =
      isFolder ? path : access == .parentFolder ? FilePath.parent(of: path) : nil
    bytes = readableFolder == nil ? try Self.bytes(of: file) : nil
    folderStamp = readableFolder.flatMap { DirectoryStamp($0) }
    loadRequest = LoadRequest(
      path: path, name: file.name, byteCount: bytes?.byteCount,
      modelUse: WorkerModelUse(use))
  }

  /// Throws if the folder has changed since the first worker process read it.
  func requireUnchanged() throws(ModelError) {
    guard let folderStamp, let readableFolder, DirectoryStamp(readableFolder) != folderStamp
    else { return }
    throw ModelError(.bundle, .bundleChanged, file: loadRequest.path)
  }

  private static func bytes(of file: ModelFile) throws(ModelError) -> SharedMemory {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: file.path, limit: maxByteCount)
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    try file.verify(bytes: bytes)
    guard let memory = SharedMemory(readOnly: bytes) else { throw .noSharedMemory }
    return memory
  }
}

extension ModelError {
  /// Shared memory could not be allocated.
  static let noSharedMemory = ModelError(
    .runtime, .failed("could not allocate shared memory for the worker process"))
}
