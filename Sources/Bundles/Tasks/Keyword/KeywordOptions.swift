/// How words follow from the scores of a recording.
public struct KeywordOptions: Sendable, Hashable {
  /// The score from which a word is heard.
  public var threshold = 0.5
  /// The number of scores in a row that have to reach the threshold.
  public var minSteps = 1
  /// The number of outputs whose mean is a score; until there are as many, scores are 0.
  public var meanSteps = 1
  /// The time after a word during which it is not heard again, in seconds.
  public var pause = 2.0

  /// Creates options with the defaults of bundles.
  public init() {}
}
