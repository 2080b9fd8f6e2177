import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model that workers have loaded, each for one session.
final class IsolatedModel: RuntimeModel {
  let signature: ModelSignature
  let signatures: [ModelSignature]
  let warnings: [Diagnostic]

  private let info: LoadedModelInfo
  private let source: WorkerModelSource
  private let launcher: WorkerLauncher
  /// The worker that was asked what the model is, until the first session needs one.
  private let idleWorker: Mutex<WorkerClient?>

  init(_ source: WorkerModelSource, _ hiring: WorkerLauncher) throws(ModelError) {
    let (worker, facts) = try Self.launch(hiring, source)
    self.source = source
    self.launcher = hiring
    self.info = facts
    signature = facts.signature
    signatures = facts.signatures
    warnings = facts.warnings
    idleWorker = Mutex(worker)
  }

  /// Whether workers are only kept from crashing the program, and not from attacking it.
  var trustsWorkers: Bool { launcher.isolation.level == .process }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try IsolatedSession(self, options)
  }

  /// A worker with a session; a new one unless there is one that was not used yet.
  func makeWorker(_ options: SessionOptions) throws(ModelError) -> WorkerClient {
    let worker = if let spare = takeIdleWorker() { spare } else { try launchWorker() }
    try worker.callExpectingDone(.makeSession(threads: options.threads))
    return worker
  }

  private func takeIdleWorker() -> WorkerClient? {
    idleWorker.withLock { spare in
      defer { spare = nil }
      return spare.flatMap { $0.isDisconnected ? nil : $0 }
    }
  }

  private static func launch(
    _ hiring: WorkerLauncher, _ source: WorkerModelSource
  ) throws(ModelError) -> (WorkerClient, LoadedModelInfo) {
    // Before, so that this is what is told; after, since it may be changed while it is read.
    try source.requireUnchanged()
    let hired = try hiring.launch(for: source)
    try source.requireUnchanged()
    return hired
  }

  /// A model that has become another in the meantime is not taken for the same.
  private func launchWorker() throws(ModelError) -> WorkerClient {
    let (worker, facts) = try Self.launch(launcher, source)
    guard facts == self.info else { throw worker.protocolViolation("another model") }
    return worker
  }
}

/// A model as workers are given it, again for each of them: its bytes, or the folder that it is.
final class WorkerModelSource: Sendable {
  let loadRequest: LoadRequest
  /// The bytes of a file, which no worker can change for the next.
  let bytes: SharedMemory?
  /// What lay in the folder before the first worker read it.
  private let folderStamp: DirectoryStamp?

  /// The longest file; offsets in a flatbuffer end here.
  private static let maxByteCount = 2 << 30

  /// Reads a file, or notes where a folder is.
  init(_ file: ModelFile, _ use: ModelBinding) throws(ModelError) {
    let isFolder = FileKind(at: file.path) == .directory
    let bytes = isFolder ? nil : try Self.bytes(of: file)
    self.bytes = bytes
    let path = AbsolutePath.of(file.path)
    folderStamp = isFolder ? DirectoryStamp(path) : nil
    loadRequest = LoadRequest(
      path: path, name: file.name, byteCount: bytes?.byteCount,
      modelUse: WorkerModelUse(use))
  }

  /// Refuses to go on with what a worker has read of a folder that others have changed since the first.
  func requireUnchanged() throws(ModelError) {
    guard let folderStamp, DirectoryStamp(loadRequest.path) != folderStamp else { return }
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
  /// The system has no memory that processes can share.
  static let noSharedMemory = ModelError(
    .runtime, .failed("the system has no shared memory for the model's worker"))
}
