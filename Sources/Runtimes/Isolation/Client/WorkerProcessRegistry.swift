import Synchronization

/// Counts the worker processes of this process, for monitoring.
package enum WorkerProcessRegistry {
  /// The counts at one time.
  package struct Counts: Sendable {
    /// The running worker processes.
    package var processIDs: Set<Int32> = []
    /// The number of worker processes that crashed, timed out or were killed.
    package var crashes = 0
    /// The number of worker processes that were launched in place of crashed ones.
    package var restarts = 0
    /// The crashed worker processes that have not been replaced, by model.
    fileprivate var pendingRestarts: [String: Int] = [:]
  }

  private static let counts = Mutex(Counts())

  /// The counts at this time.
  package static var current: Counts { counts.withLock(\.self) }

  static func recordStart(_ processID: Int32) {
    counts.withLock { _ = $0.processIDs.insert(processID) }
  }

  static func recordExit(_ processID: Int32) {
    counts.withLock { _ = $0.processIDs.remove(processID) }
  }

  /// Records that a worker process of a model was launched.
  static func recordLaunch(for model: String) {
    counts.withLock { counts in
      guard let pending = counts.pendingRestarts[model] else { return }
      counts.pendingRestarts[model] = pending > 1 ? pending - 1 : nil
      counts.restarts += 1
    }
  }

  /// Records that a worker process of a model terminated unexpectedly.
  static func recordCrash(of model: String) {
    counts.withLock { counts in
      counts.crashes += 1
      counts.pendingRestarts[model, default: 0] += 1
    }
  }
}
