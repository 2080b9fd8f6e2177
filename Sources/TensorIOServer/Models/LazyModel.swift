import Synchronization
import TensorIOBundle
import TensorIOCore

/// The place of one model: opened once, however many ask at the same time.
///
/// A failure is told again to whoever asks, and opening is tried again when it is old.
final class LazyModel: Sendable {
  /// How long a failure is told again before opening is tried anew; what was missing may be there
  /// then, such as a runtime's library.
  static let failureCacheDuration = Duration.seconds(10)

  private enum LoadState {
    case unloaded
    case loading
    case ready(ServedModel)
    case failed(ModelError, at: ContinuousClock.Instant)

    var modelState: ModelState {
      switch self {
      case .unloaded: .unloaded
      case .loading: .loading
      case .ready: .ready
      case .failed(let error, _): .failed(error)
      }
    }

    var model: ServedModel? { if case .ready(let model) = self { model } else { nil } }
  }

  let entry: ModelCatalog.Entry
  private let loadState: Mutex<LoadState>
  /// Held by the one who opens.
  private let loadLock = Mutex(())

  init(_ entry: ModelCatalog.Entry) {
    self.entry = entry
    loadState = Mutex(.unloaded)
  }

  var status: ModelStatus {
    let (state, opened) = loadState.withLock { ($0.modelState, $0.model) }
    return ModelStatus(
      entry: entry, state: entry.error.map(ModelState.failed) ?? state,
      bundle: (try? entry.bundle?.get()) ?? opened?.model.bundle)
  }

  func model(_ opening: ModelCatalog.Opener) throws(ModelError) -> ServedModel {
    if let fault = entry.error { throw fault }
    if let known = cachedResult { return try known.get() }
    return try loadLock.withLock { (_) throws(ModelError) in
      try (cachedResult ?? load(opening)).get()
    }
  }

  /// What came of an earlier opening; `nil` when it is to be tried.
  private var cachedResult: Result<ServedModel, ModelError>? {
    loadState.withLock { stage in
      switch stage {
      case .ready(let model): .success(model)
      case .failed(let error, let time)
      where !error.isTransient && time.duration(to: .now) < Self.failureCacheDuration:
        .failure(error)
      case .unloaded, .loading, .failed: nil
      }
    }
  }

  private func load(_ opening: ModelCatalog.Opener) -> Result<ServedModel, ModelError> {
    loadState.withLock { $0 = .loading }
    let result = Result { () throws(ModelError) in
      try ServedModel(entry.name, opening(entry))
    }
    loadState.withLock { stage in
      switch result {
      case .success(let model): stage = .ready(model)
      case .failure(let error): stage = .failed(error, at: .now)
      }
    }
    return result
  }
}

extension ModelError {
  /// Whether the next attempt may well succeed: a worker's end says little of the next one's.
  fileprivate var isTransient: Bool {
    switch reason {
    case .workerCrashed, .suspended: true
    default: false
    }
  }
}
