internal import Synchronization
internal import TensorIOCore
internal import TensorIOSystem

/// Which models have ended their workers lately.
final class DeathRecord: Sendable {
  /// A model: the place, and what lies there.
  struct Model: Hashable, Sendable {
    let path: String
    let stamp: FileStamp?
  }

  private let limit: Int
  private let window: Duration
  private let deaths = Mutex<[Model: [ContinuousClock.Instant]]>([:])

  init(limit: Int, window: Duration) {
    self.limit = max(1, limit)
    self.window = window
  }

  /// Notes that a model has ended a worker.
  func note(_ model: Model, at now: ContinuousClock.Instant = .now) {
    deaths.withLock { deaths in
      deaths = deaths.compactMapValues { recent($0, now) }
      deaths[model, default: []].append(now)
    }
  }

  /// A model that has ended too many gets no other for a while.
  func requireLeave(
    for model: Model, at now: ContinuousClock.Instant = .now
  ) throws(ModelError) {
    let count = deaths.withLock { recent($0[model] ?? [], now)?.count ?? 0 }
    guard count >= limit else { return }
    throw ModelError(
      .run, .putAside(deaths: count, seconds: Int(clamping: window.components.seconds)))
  }

  private func recent(
    _ deaths: [ContinuousClock.Instant], _ now: ContinuousClock.Instant
  ) -> [ContinuousClock.Instant]? {
    let recent = deaths.filter { now - $0 < window }.suffix(limit)
    return recent.isEmpty ? nil : Array(recent)
  }
}
