/// Where the time of one run went, stage by stage.
///
/// Reading a clock costs more than a small model, so a run is timed only when asked.
public struct Timings: Sendable, Hashable {
  /// Decoding pictures.
  public var picture: Duration = .zero
  /// Writing values into tensors.
  public var input: Duration = .zero
  /// Computing.
  public var run: Duration = .zero
  /// Reading values out of tensors.
  public var output: Duration = .zero
  /// From the call to the result, waiting for a session included.
  public var total: Duration = .zero

  /// No time at all.
  public init() {}

  /// Books what was done before the run.
  package mutating func add(_ time: Duration, to stage: WritableKeyPath<Timings, Duration>) {
    self[keyPath: stage] += time
    total += time
  }
}

extension Duration {
  /// The duration in milliseconds.
  public var milliseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
  }
}
