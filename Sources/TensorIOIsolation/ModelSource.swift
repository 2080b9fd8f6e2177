internal import TensorIOCore
internal import TensorIOSystem

/// A model as workers are given it, again for each of them: its bytes, or the folder that it is.
final class ModelSource: Sendable {
  let orders: LoadOrders
  /// The bytes of a file, which no worker can change for the next.
  let bytes: SharedMemory?
  /// What lay in the folder before the first worker read it.
  private let stamp: FolderStamp?

  /// The longest file; offsets in a flatbuffer end here.
  private static let limit = 2 << 30

  /// Reads a file, or notes where a folder is.
  init(_ file: ModelFile, _ use: ModelUse) throws(ModelError) {
    let isFolder = FileKind(at: file.path) == .folder
    let bytes = isFolder ? nil : try Self.bytes(of: file)
    self.bytes = bytes
    let path = AbsolutePath.of(file.path)
    stamp = isFolder ? FolderStamp(path) : nil
    orders = LoadOrders(
      path: path, name: file.name, byteCount: bytes?.byteCount,
      use: WantedUse(use))
  }

  /// Refuses to go on with what a worker has read of a folder that others have changed since the first.
  func requireUnchanged() throws(ModelError) {
    guard let stamp, FolderStamp(orders.path) != stamp else { return }
    throw ModelError(.bundle, .exchangedBundle, file: orders.path)
  }

  private static func bytes(of file: ModelFile) throws(ModelError) -> SharedMemory {
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: file.path, limit: limit)
    } catch {
      throw ModelError(.bundle, error.reason(named: file.name), file: file.path)
    }
    try file.check(bytes: bytes)
    guard let memory = SharedMemory(frozen: bytes) else { throw .noSharedMemory }
    return memory
  }
}

extension ModelError {
  /// The system has no memory that processes can share.
  static let noSharedMemory = ModelError(
    .runtime, .failed("the system has no shared memory for the model's worker"))
}
