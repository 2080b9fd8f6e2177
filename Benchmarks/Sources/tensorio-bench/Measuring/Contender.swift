/// One side of a comparison: a piece of work that can be measured again and again.
struct Contender {
  /// Does the work and says what it took, for one go.
  let measure: () throws -> Measurement

  init(_ measure: @escaping () throws -> Measurement) {
    self.measure = measure
  }
}

extension Contender {
  /// How long one look at the clock lasts: long enough for what it costs not to count, and for what the
  /// other side left in the caches to be gone.
  private static let shortestMicroseconds = 5_000.0
  private static let mostRepetitions = 100_000

  /// Work in this process, which does itself as many times as it is told, and no fewer where it has
  /// to begin something first.
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
