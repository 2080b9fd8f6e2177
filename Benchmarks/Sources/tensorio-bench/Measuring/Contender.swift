/// One side of a comparison: work that can be measured repeatedly.
struct Contender {
  /// Does the work once and returns its measurement.
  let measure: () throws -> Measurement

  init(_ measure: @escaping () throws -> Measurement) {
    self.measure = measure
  }
}

extension Contender {
  /// The minimum duration of a measurement, which makes the cost of reading the clock and the cache
  /// contents of the other side negligible.
  private static let shortestMicroseconds = 5_000.0
  private static let mostRepetitions = 100_000

  /// Returns work in this process, which is repeated at least a number of times because of its set-up.
  static func repeating(
    atLeast fewest: Int = 1, _ work: @escaping (_ times: Int) throws -> Void
  ) throws -> Contender {
    try work(fewest)
    let repetitions = try repetitions(of: work, atLeast: fewest)
    return Contender {
      try work(fewest)
      return Measurement(
        microseconds: try microseconds(of: work, repetitions) / Double(repetitions))
    }
  }

  private static func repetitions(
    of work: (Int) throws -> Void, atLeast fewest: Int
  ) throws -> Int {
    var repetitions = fewest
    while repetitions < mostRepetitions,
      try microseconds(of: work, repetitions) < shortestMicroseconds
    {
      repetitions *= 2
    }
    return repetitions
  }

  private static func microseconds(of work: (Int) throws -> Void, _ times: Int) throws -> Double {
    let duration = try ContinuousClock().measure { try work(times) }
    return duration / .microseconds(1)
  }
}
