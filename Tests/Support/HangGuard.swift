public import Testing

/// How long tests wait for something that must happen.
///
/// These bounds end a test that hangs. They say nothing about the product and must never be reached on a
/// slow or busy machine: waiting for a processor counts as well.
public enum HangGuard {
  /// The maximum duration of a test case.
  public static let minutes = 15
  /// The maximum duration of one step of a test, such as a response of a server.
  public static let stepSeconds = 180
  /// The maximum duration of one step of a test, such as a response of a server.
  public static let step = Duration.seconds(stepSeconds)

  /// Measures some work under the present load, and returns a time limit that it does not exceed.
  ///
  /// - Parameter work: What the limit applies to, such as a launch of a process and a run.
  /// - Returns: A limit that a test can wait for.
  public static func limit(above work: () throws -> Void) rethrows -> Duration {
    try max(.seconds(4), ContinuousClock().measure(work) * 8)
  }
}

extension Trait where Self == TimeLimitTrait {
  /// Ends a test that hangs.
  public static var hangGuard: Self { hangGuard(isLong: false) }

  /// Ends a test that hangs. Tests that a variable of the environment prolongs may take hours.
  public static func hangGuard(isLong: Bool) -> Self {
    .timeLimit(.minutes(HangGuard.minutes * (isLong ? 24 : 1)))
  }
}
