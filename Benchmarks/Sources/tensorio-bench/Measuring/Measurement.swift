/// What can be measured of a piece of work.
enum Quantity: String, Codable, Sendable {
  case time
  case peakMemory = "peak memory"
  case idleProcessor = "processor while idle"
}

/// What doing a piece of work once took.
struct Measurement {
  var microseconds = 0.0
  /// The most memory that a process ever had; nothing is known of work inside of one.
  var peakMegabytes: Double?
  /// The share of one processor that the process used while it had nothing to do, in percent.
  var idlePercent: Double?

  subscript(quantity: Quantity) -> Double? {
    switch quantity {
    case .time: microseconds
    case .peakMemory: peakMegabytes
    case .idleProcessor: idlePercent
    }
  }
}
