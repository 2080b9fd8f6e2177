/// A section of sound with the label that has the highest score in it.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "sounds.tiobundle")
/// for interval in try model.run(AudioBuffer(contentsOf: "street.wav")).timeline {
///   print(interval.start, interval.end, interval.label, interval.score)
/// }
/// ```
public struct LabeledInterval: Sendable, Hashable {
  /// The beginning, in seconds.
  public let start: Double
  /// The end, in seconds.
  public let end: Double
  /// The label.
  public let label: String
  /// The index of the label in the output.
  public let index: Int
  /// The mean score of the label in the windows of the section.
  public let score: Float

  /// Creates an interval.
  public init(start: Double, end: Double, label: String, index: Int, score: Float) {
    self.start = start
    self.end = end
    self.label = label
    self.index = index
    self.score = score
  }
}
