import Dispatch
import Synchronization
import TensorIOServer

/// The running downloads and the most recent others.
final class ModelDownloads: Sendable {
  private static let maxRunning = 2
  private static let maxStored = 8

  private let host: any StudioHost
  private let downloads = Mutex<[ModelDownload]>([])
  private let threads = DispatchGroup()

  init(_ host: any StudioHost) { self.host = host }

  /// Starts a download on a separate thread; `add` makes an imported model available.
  func start(
    _ source: String, isReplacing: Bool, reservedNames: Set<String>,
    add: @escaping @Sendable (ImportedModel) -> Void
  ) throws(ClientError) -> ModelDownload {
    let download = ModelDownload(of: source)
    try downloads.withLock { (downloads) throws(ClientError) in
      guard downloads.count(where: \.isRunning) < Self.maxRunning else {
        throw ClientError(
          .tooManyRequests, "too-many-downloads",
          "\(Self.maxRunning) downloads are already running; wait for one or cancel it")
      }
      if downloads.count >= Self.maxStored,
        let index = downloads.firstIndex(where: { !$0.isRunning })
      {
        downloads.remove(at: index).cancel()
      }
      downloads.append(download)
    }
    let host = host
    DispatchQueue(label: "tensorio.download").async(group: threads) {
      download.run(host, isReplacing: isReplacing, reservedNames: reservedNames, add: add)
    }
    return download
  }

  /// Returns the download with the given identifier.
  func download(_ id: String) throws(ClientError) -> ModelDownload {
    guard let download = downloads.withLock({ $0.first { $0.id == id } }) else {
      throw .notFound("download")
    }
    return download
  }

  /// Cancels all downloads, and waits until none of them writes files.
  func close() {
    let all = downloads.withLock(\.self)
    for download in all { download.cancel() }
    threads.wait()
    downloads.withLock { $0 = [] }
  }
}
