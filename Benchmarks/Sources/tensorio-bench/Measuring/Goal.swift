/// What is measured of a job, and how good it should be.
struct Goal: Sendable {
  enum Limit: Sendable {
    /// At most so many times the peer's.
    case ratio(Double)
    /// At most so much, in the quantity's own unit.
    case value(Double)
    /// At most so much more than the peer, in the quantity's own unit.
    case difference(Double)
  }

  let quantity: Quantity
  let limit: Limit?

  /// The time, without a goal.
  static let time = Goal(quantity: .time, limit: nil)
  /// The memory, without a goal.
  static let peakMemory = Goal(quantity: .peakMemory, limit: nil)

  /// At most so many percent of a processor while there is nothing to do.
  static func idle(percent: Double) -> Goal {
    Goal(quantity: .idleProcessor, limit: .value(percent))
  }
  static func time(times ratio: Double) -> Goal { Goal(quantity: .time, limit: .ratio(ratio)) }
  static func time(microseconds: Double) -> Goal {
    Goal(quantity: .time, limit: .value(microseconds))
  }
  static func time(moreMicroseconds difference: Double) -> Goal {
    Goal(quantity: .time, limit: .difference(difference))
  }
  static func peakMemory(times ratio: Double) -> Goal {
    Goal(quantity: .peakMemory, limit: .ratio(ratio))
  }
}
