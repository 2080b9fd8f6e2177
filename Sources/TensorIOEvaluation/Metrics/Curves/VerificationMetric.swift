public import TensorIOCore
public import TensorIOTasks

/// Judges embeddings by whether those of the same thing are nearer than those of two.
///
/// A pair's score is its distance with the sign turned, so that a threshold of −0.8 lets in what is
/// no farther apart than 0.8.
public struct VerificationMetric: Metric {
  /// How distance is measured.
  public let distance: DistanceMetric
  /// The pairs' scores, and which of them are of one thing.
  public private(set) var pairs = BinaryMetric()

  /// A judge without pairs.
  public init(by distance: DistanceMetric = .euclidean) {
    self.distance = distance
  }

  /// Takes a pair into account.
  public mutating func add(
    _ first: Embedding, _ second: Embedding, areSame: Bool
  ) throws(ModelError) {
    add(distance: try first.distance(to: second, by: distance), areSame: areSame)
  }

  /// Takes a pair into account whose distance is known.
  public mutating func add(distance: Double, areSame: Bool) {
    pairs.add(-distance, isPositive: areSame)
  }

  /// `roc_auc`, `eer`, `average_precision` and `best_threshold`.
  public var figures: [Figure] { pairs.figures }
}
