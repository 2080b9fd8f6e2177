internal import TensorIOCore

/// How often the right class is among the first so-and-so-many.
///
/// Equal scores rank in the order of the model's output, as `Classification.top` has them.
public struct TopHits: Sendable, Hashable {
  /// Among how many of the first the right class counts as found.
  public let depths: [Int]
  /// How many examples there were.
  public private(set) var count = 0
  private var hits: [Int]

  /// A judge without examples.
  public init(_ depths: [Int] = [1, 5]) {
    self.depths = depths
    hits = depths.map { _ in 0 }
  }

  /// Takes the scores of all classes into account.
  ///
  /// - Precondition: `truth` is the index of a score.
  public mutating func add(_ scores: [Float], truth: Int) {
    let rank = Classification(labels: [], scores: scores).rank(of: truth)
    count += 1
    for index in depths.indices where rank < depths[index] { hits[index] += 1 }
  }

  /// The share of the examples whose class is among the first; `nil` without examples, or for a
  /// depth that is not counted.
  public func accuracy(_ depth: Int) -> Double? {
    depths.firstIndex(of: depth).flatMap { share(hits[$0], of: count) }
  }
}
