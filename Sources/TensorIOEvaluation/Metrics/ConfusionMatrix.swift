/// How many examples of each true class (rows) were taken for which class (columns).
///
/// Only the cells that occur take memory, so that a thousand classes are no table of a million.
public struct ConfusionMatrix: Sendable, Hashable {
  /// A place in the matrix.
  public struct Cell: Sendable, Hashable {
    /// The right class.
    public let actual: Int
    /// The class that it was taken for.
    public let predicted: Int

    /// A place in the matrix.
    public init(actual: Int, predicted: Int) {
      (self.actual, self.predicted) = (actual, predicted)
    }
  }

  /// How often a class was right, was found, and both.
  private struct ClassCounts: Hashable {
    var actual = 0
    var predicted = 0
    var correct = 0
  }

  /// The cells that are not 0.
  public private(set) var cells: [Cell: Int] = [:]
  /// How many examples there were.
  public private(set) var count = 0
  private var classCounts: [Int: ClassCounts] = [:]

  /// A matrix of zeros.
  public init() {}

  /// Counts an example.
  public mutating func add(_ found: Int, actual: Int) {
    count += 1
    cells[Cell(actual: actual, predicted: found), default: 0] += 1
    classCounts[actual, default: ClassCounts()].actual += 1
    classCounts[found, default: ClassCounts()].predicted += 1
    if actual == found { classCounts[actual]?.correct += 1 }
  }

  /// How many examples of a class were taken for another.
  public subscript(actual truth: Int, predicted found: Int) -> Int {
    cells[Cell(actual: truth, predicted: found)] ?? 0
  }

  /// The part of the matrix that concerns some classes, row by row.
  public func rows(of classes: some Collection<Int>) -> [[Int]] {
    classes.map { truth in classes.map { self[actual: truth, predicted: $0] } }
  }

  /// The classes that occur, as the truth or as an answer, in order.
  public var classes: [Int] { classCounts.keys.sorted() }

  /// The mistakes, the most frequent first; of equally many, those of the lower class.
  public var misclassifications: [(cell: Cell, count: Int)] {
    cells.filter { $0.key.actual != $0.key.predicted }
      .map { (cell: $0.key, count: $0.value) }
      .sorted {
        (-$0.count, $0.cell.actual, $0.cell.predicted) < (-$1.count, $1.cell.actual, $1.cell.predicted)
      }
  }
}

extension ConfusionMatrix {
  /// The figures of a class; all of them are 0 for one that does not occur.
  public subscript(class index: Int) -> ClassMetrics {
    let tally = classCounts[index] ?? ClassCounts()
    return ClassMetrics(index, truePositives: tally.correct, support: tally.actual, predictedCount: tally.predicted)
  }

  /// The figures of the classes that occur, in order.
  public var perClass: [ClassMetrics] { classes.map { self[class: $0] } }

  /// The figures of all classes in one.
  public func average(_ averaging: Averaging) -> ClassMetrics.Scores {
    let classes = perClass
    switch averaging {
    case .micro: return .all(ratio(classes.reduce(0) { $0 + $1.truePositives }, of: count) ?? 0)
    case .macro: return .mean(of: classes) { _ in 1 }
    case .weighted: return .mean(of: classes) { Double($0.support) }
    }
  }

  /// The share of the examples that is right; `nil` without examples.
  public var accuracy: Double? { ratio(perClass.reduce(0) { $0 + $1.truePositives }, of: count) }

  /// The mean recall of the classes that have examples; `nil` without examples.
  public var balancedAccuracy: Double? {
    perClass.filter { $0.support > 0 }.map(\.scores.recall).mean
  }
}

/// How the figures of several classes become one.
public enum Averaging: String, Sendable, Hashable, CaseIterable {
  /// Every class that occurs counts the same.
  case macro
  /// Every example counts the same; with one class an example, all three are the accuracy.
  case micro
  /// Every class counts as much as it has examples.
  case weighted
}

/// How well a class is told from all others.
///
/// A share of nothing is 0, scikit-learn's `zero_division=0`.
public struct ClassMetrics: Sendable, Hashable {
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
  public let classIndex: Int
  /// How many examples of it were found.
  public let truePositives: Int
  /// How many examples of it there are.
  public let support: Int
  /// How many examples were taken for it.
  public let predictedCount: Int

  init(_ index: Int, truePositives: Int, support: Int, predictedCount: Int) {
    (self.classIndex, self.truePositives, self.support, self.predictedCount) = (index, truePositives, support, predictedCount)
  }

  /// Precision, recall and F1.
  public var scores: Scores {
    Scores(
      precision: ratio(truePositives, of: predictedCount) ?? 0, recall: ratio(truePositives, of: support) ?? 0,
      f1: ratio(2 * truePositives, of: predictedCount + support) ?? 0)
  }
}

extension ClassMetrics.Scores {
  /// All three are the same.
  static func all(_ value: Double) -> Self { Self(precision: value, recall: value, f1: value) }

  /// The means over classes; 0 where nothing has weight.
  static func mean(of classes: [ClassMetrics], weight: (ClassMetrics) -> Double) -> Self {
    let whole = classes.reduce(0) { $0 + weight($1) }
    guard whole > 0 else { return .all(0) }
    func mean(_ score: (ClassMetrics.Scores) -> Double) -> Double {
      classes.reduce(0) { $0 + weight($1) * score($1.scores) } / whole
    }
    return Self(precision: mean(\.precision), recall: mean(\.recall), f1: mean(\.f1))
  }
}
