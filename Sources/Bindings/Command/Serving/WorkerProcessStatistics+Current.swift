import TensorIOIsolation
import TensorIOServer
import TensorIOSystem

extension WorkerProcessStatistics {
  /// The worker processes of this process.
  static var current: WorkerProcessStatistics {
    let counts = WorkerProcessRegistry.current
    return WorkerProcessStatistics(
      count: counts.processIDs.count,
      residentBytes: counts.processIDs.reduce(0) {
        $0 + (ProcessMemory.residentBytes(of: $1) ?? 0)
      }, crashes: counts.crashes, restarts: counts.restarts)
  }
}
