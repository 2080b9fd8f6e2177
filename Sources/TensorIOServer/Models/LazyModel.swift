import Synchronization
import TensorIOBundle
import TensorIOCore

/// A model of the catalog, opened once however many threads request it at the same time.
///
/// A failure is cached for ``failureCacheDuration``; after that, the next request retries.
final class LazyModel: Sendable {
  /// How long a failure is reported without retrying.
  ///
  /// A retry may succeed, for example after a runtime's library was installed.
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
  /// Held while the model is being opened, so that other threads wait for the result.
  private let loadLock = Mutex(())

  init(_ entry: ModelCatalog.Entry) {
    self.entry = entry
    loadState = Mutex(.unloaded)
  }

  var status: ModelStatus {
    let (state, loadedModel) = loadState.withLock { ($0.modelState, $0.model) }
    return ModelStatus(
      entry: entry, state: entry.error.map(ModelState.failed) ?? state,
      bundle: (try? entry.bundle?.get()) ?? loadedModel?.model.bundle)
  }

  func model(_ opener: ModelCatalog.Opener) throws(ModelError) -> ServedModel {
    if let error = entry.error { throw error }
    if let cachedResult { return try cachedResult.get() }
    return try loadLock.withLock { (_) throws(ModelError) in
      try (cachedResult ?? load(opener)).get()
    }
  }

  /// The result of an earlier attempt; `nil` when the model has to be opened.
  private var cachedResult: Result<ServedModel, ModelError>? {
    loadState.withLock { state in
      switch state {
      case .ready(let model): .success(model)
      case .failed(let error, let time)
      where !error.isTransient && time.duration(to: .now) < Self.failureCacheDuration:
        .failure(error)
      case .unloaded, .loading, .failed: nil
      }
    }
  }

  private func load(_ opener: ModelCatalog.Opener) -> Result<ServedModel, ModelError> {
    loadState.withLock { $0 = .loading }
    let result = Result { () throws(ModelError) in
      try ServedModel(entry.name, opener(entry))
    }
    loadState.withLock { state in
      switch result {
      case .success(let model): state = .ready(model)
      case .failure(let error): state = .failed(error, at: .now)
      }
    }
    return result
  }
}

extension ModelError {
  /// Whether a retry is likely to succeed: a crash of one worker process does not affect the next.
  fileprivate var isTransient: Bool {
    switch reason {
    case .workerCrashed, .suspended: true
    default: false
    }
  }
}
