public import TensorIOCore

/// What came of one item.
public struct EvaluatedItem: Sendable, Hashable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// It was judged, by each judge, and took some time, each time.
    case judged([Judgement], [Timings])
    /// It could not be judged.
    case failed(FailedItem)
  }

  /// Its number in the data.
  public let index: Int
  /// What the data calls it.
  public let name: String
  /// What came of it.
  public let outcome: Outcome

  /// An item and what came of it.
  public init(index: Int, name: String, outcome: Outcome) {
    (self.index, self.name, self.outcome) = (index, name, outcome)
  }
}
