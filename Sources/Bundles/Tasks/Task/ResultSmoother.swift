/// Smooths the results of a task over the frames of a stream.
public protocol ResultSmoother: Sendable {
  /// Adds the result of the next frame, and returns the smoothed result.
  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult
}
