internal import TensorIOCore

/// One of the two models of a comparison.
public enum ComparedSide: String, Sendable, Hashable, CaseIterable {
  /// The first.
  case a
  /// The second.
  case b
}

/// What came of one item in both models.
public struct ComparedItem: Sendable, Hashable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// Both models answered: how far apart, output by output.
    case compared([OutputDifference])
    /// There is nothing to compare.
    case failed([Failure])
  }

  /// Why an item could not be compared.
  public struct Failure: Sendable, Hashable {
    /// The model that failed; `nil` where the item itself, or what both gave, is at fault.
    public let side: ComparedSide?
    /// The error's short name.
    public let code: String
    /// The error in words.
    public let message: String

    init(_ error: ModelError, of side: ComparedSide? = nil) {
      (self.side, code, message) = (side, error.code, error.description)
    }
  }

  /// Its number among the items.
  public let index: Int
  /// What came of it.
  public let outcome: Outcome
  /// What the first model answered, in a few words for each output; empty where it failed.
  public var a: [String] = []
  /// What the second model answered.
  public var b: [String] = []

  /// How far apart the answers are; none where there is nothing to compare.
  public var differences: [OutputDifference] {
    if case .compared(let differences) = outcome { differences } else { [] }
  }

  /// Whether both models give the same answer: the same labels, or else the same of everything.
  public var agrees: Bool {
    guard case .compared(let differences) = outcome else { return false }
    let labelled = differences.filter(\.isLabelled)
    return (labelled.isEmpty ? differences : labelled).allSatisfy(\.agrees)
  }

  /// The largest difference of all outputs.
  public var largest: Double { differences.map(\.largest).max() ?? 0 }

  /// Whether it is worse than another one: answers that are not the same come first.
  func isWorse(than other: ComparedItem) -> Bool {
    if agrees != other.agrees { return !agrees }
    return largest == other.largest ? index < other.index : largest > other.largest
  }
}
