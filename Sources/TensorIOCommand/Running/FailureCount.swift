import TensorIOCore

/// How many items have failed, and how many may.
struct FailureCount {
  static let flag = Flag("max-failures", "N", "stops after the Nth item that fails")

  /// How many failures end the run; `nil` lets all fail.
  let limit: Int?
  private(set) var first: CommandFailure?
  /// How many have failed, in earlier runs that this one goes on with, too.
  private(set) var count: Int
  private let recorded: Int

  init(limit: Int?, recorded: Int) {
    self.limit = limit
    self.recorded = recorded
    count = recorded
  }

  /// Counts a failure.
  mutating func add(_ failure: CommandFailure) {
    first = first ?? failure
    count += 1
  }

  /// Whether there have been too many.
  var isReached: Bool { limit.map { count - recorded >= $0 } ?? false }
}
