extension EvaluationResult {
  /// What there is to say of the time and the memory that it took, as figures beside the others.
  var speedFigures: [Figure] {
    latencyFigures
      + [
        Figure.error("first_run", speed.firstRun, unit: .milliseconds),
        speed.rate.map { Figure("rate", $0, better: .higher) },
        Figure.error("memory_mb", speed.memory.map { Double($0 / (1 << 20)) }),
      ].compactMap(\.self)
  }

  /// Of the last stage, which is the sum of the others.
  private var latencyFigures: [Figure] {
    guard let total = speed.stages.last else { return [] }
    return [("mean", total.mean), ("p50", total.p50), ("p90", total.p90), ("p99", total.p99)].map {
      Figure("latency_\($0)", $1, unit: .milliseconds, better: .lower)
    }
  }
}
