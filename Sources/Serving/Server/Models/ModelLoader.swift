import Dispatch
import Synchronization
import TensorIOSystem

/// Opens models on threads of their own, so that requests for other models are not delayed.
///
/// A few models are opened at the same time. One that takes long, for example because it hangs,
/// does not prevent others from being opened.
final class ModelLoader: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State {
    var waiting: [Work] = []
    /// The number of models that are being opened, without those that take long.
    var running = 0
  }

  /// The time after which a model no longer counts towards the maximum.
  private static let slowTime = DispatchTimeInterval.seconds(2)

  private let state = Mutex(State())
  private let maxConcurrent = max(2, Platform.processorCount)
  private let timers = DispatchQueue(label: "tensorio.loader-timers")

  /// Runs work on another thread, as soon as few others are running.
  func submit(_ work: @escaping Work) {
    state.withLock { $0.waiting.append(work) }
    startNext()
  }

  private func startNext() {
    let next: Work? = state.withLock { state in
      guard state.running < maxConcurrent, !state.waiting.isEmpty else { return nil }
      state.running += 1
      return state.waiting.removeFirst()
    }
    guard let next else { return }
    let isCounted = Mutex(true)
    let release: @Sendable () -> Void = { [self] in
      let wasCounted = isCounted.withLock { counted in
        defer { counted = false }
        return counted
      }
      guard wasCounted else { return }
      state.withLock { $0.running -= 1 }
      startNext()
    }
    let body: @Sendable () -> Void = {
      next()
      release()
    }
    timers.asyncAfter(deadline: .now() + Self.slowTime, execute: release)
    // Without a thread of its own, the work delays the caller instead of being lost.
    guard !PermanentThread.start(.normal, body) else { return }
    body()
  }
}
