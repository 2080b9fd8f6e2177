import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore

/// One version of a model, opened once however many requests need it at the same time.
///
/// A failure is cached for ``failureCacheDuration``; after that, the next request retries.
final class LazyModel: Sendable {
  /// How long a failure is reported without retrying.
  ///
  /// A retry may succeed, for example after a runtime's library was installed.
  static let failureCacheDuration = Duration.seconds(10)

  /// The result of opening a model.
  typealias Opened = Result<ServedModel, ModelError>
  typealias Completion = @Sendable (Opened) -> Void

  private enum LoadState {
    case unloaded
    case loading([Completion])
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
  private let opener: ModelCatalog.Opener
  private let serving: ServingOptions
  private let loadState = Mutex(LoadState.unloaded)
  let statistics: ModelStatistics
  private let onEvent: @Sendable (ModelChange.Event) -> Void
  private let replacementError = Mutex<ModelError?>(nil)

  init(
    _ entry: ModelCatalog.Entry, _ serving: ServingOptions,
    statistics: ModelStatistics = ModelStatistics(),
    onEvent: @escaping @Sendable (ModelChange.Event) -> Void = { _ in },
    opener: @escaping ModelCatalog.Opener
  ) {
    (self.entry, self.serving, self.opener) = (entry, serving, opener)
    (self.statistics, self.onEvent) = (statistics, onEvent)
  }

  var status: ModelStatus {
    let (state, loadedModel) = loadState.withLock { ($0.modelState, $0.model) }
    return ModelStatus(
      entry: entry, state: entry.error.map(ModelState.failed) ?? state,
      bundle: (try? entry.bundle?.get()) ?? loadedModel?.model.bundle, model: loadedModel,
      statistics: statistics,
      replacementError: replacementError.withLock(\.self))
  }

  /// The open model; `nil` unless it is ready.
  var readyModel: ServedModel? { loadState.withLock(\.model) }

  /// Whether opening the model has failed, or cannot succeed.
  var hasFailed: Bool {
    if entry.error != nil { return true }
    return loadState.withLock { if case .failed = $0 { true } else { false } }
  }

  /// Whether opening the model has succeeded or failed.
  var isSettled: Bool { readyModel != nil || hasFailed }

  /// Records that a newer bundle could not replace this one; `nil` for none.
  func setReplacementError(_ error: ModelError?) { replacementError.withLock { $0 = error } }

  /// Closes the model once the requests that use it are done.
  func unload() { loadState.withLock { if case .ready = $0 { $0 = .unloaded } } }

  /// Returns the model, which is opened on the calling thread if necessary.
  func model() throws(ModelError) -> ServedModel {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Opened?>(nil)
    let work = load { opened in
      result.withLock { $0 = opened }
      done.signal()
    }
    work?()
    done.wait()
    guard let opened = result.withLock(\.self) else {
      throw ModelError(
        .runtime,
        .failed("opening the model ended without a result, which is an error of the server"))
    }
    return try opened.get()
  }

  /// Calls `completion` once with the model or the error.
  ///
  /// - Returns: The work of opening the model, which the caller must run on any thread; `nil` if
  ///   the result is available, or if another caller has this work.
  func load(_ completion: @escaping Completion) -> (@Sendable () -> Void)? {
    if let error = entry.error {
      completion(.failure(error))
      return nil
    }
    let outcome: Outcome = loadState.withLock { state in
      switch state {
      case .ready(let model): return .available(.success(model))
      case .failed(let error, let time)
      where !error.isTransient && time.duration(to: .now) < Self.failureCacheDuration:
        return .available(.failure(error))
      case .loading(let waiting):
        state = .loading(waiting + [completion])
        return .waiting
      case .unloaded, .failed:
        state = .loading([completion])
        return .mustOpen
      }
    }
    switch outcome {
    case .available(let result):
      completion(result)
      return nil
    case .waiting: return nil
    case .mustOpen: return { [self] in open() }
    }
  }

  private enum Outcome {
    case available(Opened)
    case waiting, mustOpen
  }

  private func open() {
    let result = Opened { () throws(ModelError) in
      try ServedModel(
        entry.name, opener(entry), version: entry.version, serving: serving, statistics: statistics,
        onEvent: onEvent)
    }
    let waiting: [Completion] = loadState.withLock { state in
      guard case .loading(let waiting) = state else { return [] }
      switch result {
      case .success(let model): state = .ready(model)
      case .failure(let error): state = .failed(error, at: .now)
      }
      return waiting
    }
    for completion in waiting { completion(result) }
  }
}

extension ModelError {
  /// Whether a retry is likely to succeed: a crash of one worker process does not affect the next, and
  /// a bundle is replaced only for a moment.
  fileprivate var isTransient: Bool {
    switch self {
    case ModelError.workerCrashed, ModelError.suspended, ModelError.bundleChanged: true
    default: false
    }
  }
}
