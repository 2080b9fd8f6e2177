import Synchronization
import TensorIOServer

/// The download of a bundle or model, which runs on a thread of its own.
final class ModelDownload: Sendable {
  /// How far a download is.
  enum State: Sendable {
    case running
    case failed(ClientError)
    case cancelled
    /// The bundle is in the library.
    case imported(ImportedModel)
    /// The model has no description: a draft has to be reviewed and imported.
    case drafted(PendingDraft)
  }

  /// The identifier, which cannot be guessed.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  let source: String

  private struct Progress {
    var state = State.running
    var receivedBytes = 0
    var totalBytes: Int?
  }

  private let progress = Mutex(Progress())
  private let isCancelled = Atomic(false)

  init(of source: String) { self.source = source }

  /// How far the download is.
  var state: State { progress.withLock(\.state) }

  /// The number of bytes of the current file that have been received, and of all if it is known.
  var byteCounts: (received: Int, total: Int?) {
    progress.withLock { ($0.receivedBytes, $0.totalBytes) }
  }

  /// Whether the download still runs.
  var isRunning: Bool { if case .running = state { true } else { false } }

  /// Cancels the download, and discards a draft.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    progress.withLock { progress in
      if case .drafted = progress.state { progress.state = .cancelled }
    }
  }

  /// Downloads the model on the calling thread; `add` makes an imported one available.
  func run(
    _ host: any StudioHost, isReplacing: Bool, reservedNames: Set<String>,
    add: (ImportedModel) -> Void
  ) {
    let state: State
    do throws(ClientError) {
      let model = try host.downloadModel(
        source, isReplacing: isReplacing, reservedNames: reservedNames,
        onProgress: { [weak self] received, total in
          self?.progress.withLock { ($0.receivedBytes, $0.totalBytes) = (received, total) }
        },
        isCancelled: { [weak self] in self?.isCancelled.load(ordering: .relaxed) ?? true })
      switch model {
      case .bundle(let model):
        add(model)
        state = .imported(model)
      case .draft(let draft): state = .drafted(draft)
      }
    } catch {
      state = isCancelled.load(ordering: .relaxed) ? .cancelled : .failed(error)
    }
    progress.withLock { progress in
      // The client may have canceled it while the draft was made.
      let isUnwanted = isCancelled.load(ordering: .relaxed)
      if isUnwanted, case .drafted = state {
        progress.state = .cancelled
      } else {
        progress.state = state
      }
    }
  }

  /// Imports the reviewed draft.
  ///
  /// - Parameters:
  ///   - description: The bytes of the reviewed `model.json`.
  ///   - name: The name to import the bundle under.
  ///   - isReplacing: Whether to replace bundles with the same name or identifier.
  ///   - reservedNames: Names that the bundle must not have.
  /// - Returns: The imported model.
  /// - Throws: A ``ClientError`` if there is no draft, or the bundle is invalid.
  func importDraft(
    _ description: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel {
    guard case .drafted(let draft) = state else {
      throw ClientError(.conflict, "no-draft", "the download has no draft to import")
    }
    let model = try draft.importing(description, name, isReplacing, reservedNames).get()
    progress.withLock { $0.state = .imported(model) }
    return model
  }
}
