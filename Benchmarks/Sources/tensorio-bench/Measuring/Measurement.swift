/// What can be measured of a piece of work.
enum Quantity: String, Codable, Sendable {
  case time
  case peakMemory = "peak memory"
}

/// What doing a piece of work once took.
struct Measurement {
  var microseconds: Double
  /// The most memory that a process ever had; nothing is known of work inside of one.
  var peakMegabytes: Double?

  subscript(quantity: Quantity) -> Double? {
    switch quantity {
    case .time: microseconds
    case .peakMemory: peakMegabytes
    }
  }
}
