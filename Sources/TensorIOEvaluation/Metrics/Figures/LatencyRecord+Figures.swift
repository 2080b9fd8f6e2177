public import TensorIOCore

extension LatencyRecord {
  /// What half, 90 % and 99 % of the runs did not exceed: `latency_p50`, `latency_p90`, `latency_p99`.
  ///
  /// Each is the duration of one of the runs, the nearest above; none is known without runs.
  public func figures(named stage: String = "latency") -> [Figure] {
    [50, 90, 99].compactMap { percent in
      percentile(Double(percent)).map {
        Figure("\(stage)_p\(percent)", $0.milliseconds, unit: .milliseconds, better: .lower)
      }
    }
  }
}
