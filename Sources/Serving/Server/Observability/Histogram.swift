import TensorIOCore

/// A histogram of durations, in seconds, or of numbers, with fixed buckets.
struct Histogram: Sendable {
  /// A histogram of durations of up to ten seconds.
  static let ofDurations = Histogram([
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
    10,
  ])
  /// A histogram of durations of up to ten minutes.
  static let ofLongDurations = Histogram([
    0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640,
  ])

  /// The upper bounds of the buckets; larger values count towards `+Inf` only.
  private let upperBounds: [Double]
  /// The count of each bucket, without those of lower buckets.
  private var counts: [Int]
  private(set) var count = 0
  private(set) var sum = 0.0

  init(_ upperBounds: [Double]) {
    (self.upperBounds, counts) = (upperBounds, upperBounds.map { _ in 0 })
  }

  mutating func add(_ duration: Duration) { add(duration.milliseconds / 1000) }

  /// Adds a value one or several times.
  mutating func add(_ value: Double, count: Int = 1) {
    self.count += count
    sum += value * Double(count)
    if let bucket = upperBounds.firstIndex(where: { value <= $0 }) { counts[bucket] += count }
  }

  /// The number of values at or below each upper bound.
  var cumulativeBuckets: [(limit: Double, count: Int)] {
    var total = 0
    return zip(upperBounds, counts).map { limit, count in
      total += count
      return (limit, total)
    }
  }
}
