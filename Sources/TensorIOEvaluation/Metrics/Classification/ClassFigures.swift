/// How well a class is told from all others.
///
/// A share of nothing is 0, scikit-learn's `zero_division=0`.
public struct ClassFigures: Sendable, Hashable {
  /// The three figures that precision and recall make.
  public struct Scores: Sendable, Hashable {
    /// The share of what was taken for the class that is of it.
    public let precision: Double
    /// The share of the class that was found.
    public let recall: Double
    /// The harmonic mean of precision and recall.
    public let f1: Double
  }

  /// The class.
  public let index: Int
  /// How many examples of it were found.
  public let right: Int
  /// How many examples of it there are.
  public let support: Int
  /// How many examples were taken for it.
  public let found: Int

  init(_ index: Int, right: Int, truth: Int, found: Int) {
    (self.index, self.right, support, self.found) = (index, right, truth, found)
  }

  /// Precision, recall and F1.
  public var scores: Scores {
    Scores(
      precision: share(right, of: found) ?? 0, recall: share(right, of: support) ?? 0,
      f1: share(2 * right, of: found + support) ?? 0)
  }
}

extension ClassFigures.Scores {
  /// All three are the same.
  static func all(_ value: Double) -> Self { Self(precision: value, recall: value, f1: value) }

  /// The means over classes; 0 where nothing has weight.
  static func mean(of classes: [ClassFigures], weight: (ClassFigures) -> Double) -> Self {
    let whole = classes.reduce(0) { $0 + weight($1) }
    guard whole > 0 else { return .all(0) }
    func mean(_ score: (ClassFigures.Scores) -> Double) -> Double {
      classes.reduce(0) { $0 + weight($1) * score($1.scores) } / whole
    }
    return Self(precision: mean(\.precision), recall: mean(\.recall), f1: mean(\.f1))
  }
}
