/// The time that an operator of a model took in a run.
public struct OperatorEvent: Sendable, Hashable {
  /// The name that the runtime gives the operator, such as `Convolution (NHWC, F32) IGEMM`.
  public let name: String
  /// The index of the operator; operators with the same name have different ones.
  public let index: Int
  /// When the operator started, on a clock of the runtime.
  public let start: Duration
  /// How long it took.
  public let duration: Duration

  /// Creates an event.
  public init(name: String, index: Int, start: Duration, duration: Duration) {
    (self.name, self.index, self.start, self.duration) = (name, index, start, duration)
  }
}
