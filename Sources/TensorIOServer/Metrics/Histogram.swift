internal import TensorIOCore

/// How often something took how long.
struct Histogram: Sendable {
  /// Up to how many seconds each class goes; what takes longer is in none of them.
  static let limits = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ]

  /// How many are in each class, and in none below it.
  private var counts = [Int](repeating: 0, count: limits.count)
  private(set) var count = 0
  private(set) var sum = 0.0

  mutating func add(_ duration: Duration) {
    let seconds = duration.milliseconds / 1000
    count += 1
    sum += seconds
    if let place = Self.limits.firstIndex(where: { seconds <= $0 }) { counts[place] += 1 }
  }

  /// How many took at most so long, for each limit.
  var cumulative: [(limit: Double, count: Int)] {
    var total = 0
    return zip(Self.limits, counts).map { limit, count in
      total += count
      return (limit, total)
    }
  }
}
