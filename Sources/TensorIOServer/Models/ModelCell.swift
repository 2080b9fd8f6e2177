internal import Synchronization
internal import TensorIOCore

/// The place of one model: opened once, however many ask at the same time.
///
/// A failure is told again to whoever asks, and opening is tried again when it is old.
final class ModelCell: Sendable {
  /// How long a failure is told again before opening is tried anew; what was missing may be there
  /// then, such as a runtime's library.
  static let failureAge = Duration.seconds(10)

  private enum Stage {
    case closed
    case opening
    case open(ServedModel)
    case failed(ModelError, at: ContinuousClock.Instant)

    var state: ModelState {
      switch self {
      case .closed: .closed
      case .opening: .opening
      case .open: .open
      case .failed(let error, _): .failed(error)
      }
    }

    var model: ServedModel? { if case .open(let model) = self { model } else { nil } }
  }

  let entry: ModelCatalogue.Entry
  private let stage: Mutex<Stage>
  /// Held by the one who opens.
  private let turn = Mutex(())

  init(_ entry: ModelCatalogue.Entry) {
    self.entry = entry
    stage = Mutex(.closed)
  }

  var snapshot: ModelSnapshot {
    let (state, opened) = stage.withLock { ($0.state, $0.model) }
    return ModelSnapshot(
      entry: entry, state: entry.fault.map(ModelState.failed) ?? state,
      bundle: (try? entry.bundle?.get()) ?? opened?.model.bundle)
  }

  func model(_ opening: ModelCatalogue.Opening) throws(ModelError) -> ServedModel {
    if let fault = entry.fault { throw fault }
    if let known = known { return try known.get() }
    return try turn.withLock { (_) throws(ModelError) in
      try (known ?? opened(opening)).get()
    }
  }

  /// What came of an earlier opening; `nil` when it is to be tried.
  private var known: Result<ServedModel, ModelError>? {
    stage.withLock { stage in
      switch stage {
      case .open(let model): .success(model)
      case .failed(let error, let time)
      where !error.passes && time.duration(to: .now) < Self.failureAge:
        .failure(error)
      case .closed, .opening, .failed: nil
      }
    }
  }

  private func opened(_ opening: ModelCatalogue.Opening) -> Result<ServedModel, ModelError> {
    stage.withLock { $0 = .opening }
    let result = Result { () throws(ModelError) in
      try ServedModel(entry.name, opening(entry))
    }
    stage.withLock { stage in
      switch result {
      case .success(let model): stage = .open(model)
      case .failure(let error): stage = .failed(error, at: .now)
      }
    }
    return result
  }
}

extension ModelError {
  /// Whether the next attempt may well succeed: a worker's end says little of the next one's.
  fileprivate var passes: Bool {
    switch reason {
    case .workerLost, .putAside: true
    default: false
    }
  }
}
