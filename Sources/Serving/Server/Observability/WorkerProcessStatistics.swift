/// The worker processes of a server at one time.
package struct WorkerProcessStatistics: Sendable {
  /// The number of running worker processes.
  package var count: Int
  /// Their resident memory, in bytes.
  package var residentBytes: Int
  /// The number of worker processes that crashed, timed out or were killed.
  package var crashes: Int
  /// The number of worker processes that were launched in place of crashed ones.
  package var restarts: Int

  /// Creates statistics.
  package init(count: Int, residentBytes: Int, crashes: Int, restarts: Int) {
    (self.count, self.residentBytes) = (count, residentBytes)
    (self.crashes, self.restarts) = (crashes, restarts)
  }
}
