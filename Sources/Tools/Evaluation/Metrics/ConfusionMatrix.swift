/// A sparse confusion matrix: the number of examples per actual class (row) and predicted class
/// (column).
public struct ConfusionMatrix: Sendable, Hashable {
  /// The indices of a cell.
  public struct Cell: Sendable, Hashable {
    /// The actual class.
    public let actual: Int
    /// The predicted class.
    public let predicted: Int

    /// Creates the indices of a cell.
    public init(actual: Int, predicted: Int) {
      (self.actual, self.predicted) = (actual, predicted)
    }
  }

  /// The numbers of actual, predicted and correctly predicted examples of a class.
  private struct ClassCounts: Hashable {
    var actual = 0
    var predicted = 0
    var correct = 0
  }

  /// The nonzero cells.
  public private(set) var cells: [Cell: Int] = [:]
  /// The number of examples.
  public private(set) var count = 0
  private var classCounts: [Int: ClassCounts] = [:]

  /// Creates an empty matrix.
  public init() {}

  /// Adds an example.
  public mutating func add(_ predicted: Int, actual: Int) {
    count += 1
    cells[Cell(actual: actual, predicted: predicted), default: 0] += 1
    classCounts[actual, default: ClassCounts()].actual += 1
    classCounts[predicted, default: ClassCounts()].predicted += 1
    if actual == predicted { classCounts[actual]?.correct += 1 }
  }

  /// Returns the number of examples in a cell.
  public subscript(actual actual: Int, predicted predicted: Int) -> Int {
    cells[Cell(actual: actual, predicted: predicted)] ?? 0
  }

  /// Returns the rows of the submatrix of some classes.
  public func rows(of classes: some Collection<Int>) -> [[Int]] {
    classes.map { actual in classes.map { self[actual: actual, predicted: $0] } }
  }

  /// The actual and predicted classes that occur, in ascending order.
  public var classes: [Int] { classCounts.keys.sorted() }

  /// The cells off the diagonal, the most frequent first; ties are in the order of the classes.
  public var misclassifications: [(cell: Cell, count: Int)] {
    cells.filter { $0.key.actual != $0.key.predicted }
      .map { (cell: $0.key, count: $0.value) }
      .sorted {
        (-$0.count, $0.cell.actual, $0.cell.predicted)
          < (-$1.count, $1.cell.actual, $1.cell.predicted)
      }
  }
}

extension ConfusionMatrix {
  /// Returns the metrics of a class, which are 0 for a class that does not occur.
  public subscript(class index: Int) -> ClassMetrics {
    let counts = classCounts[index] ?? ClassCounts()
    return ClassMetrics(
      index, truePositives: counts.correct, support: counts.actual,
      predictedCount: counts.predicted)
  }

  /// The metrics of the classes that occur, in ascending order.
  public var perClass: [ClassMetrics] { classes.map { self[class: $0] } }

  /// Returns the average of the class metrics.
  public func average(_ averaging: Averaging) -> ClassMetrics.Scores {
    let classes = perClass
    switch averaging {
    case .micro: return .all(ratio(classes.reduce(0) { $0 + $1.truePositives }, of: count) ?? 0)
    case .macro: return .mean(of: classes) { _ in 1 }
    case .weighted: return .mean(of: classes) { Double($0.support) }
    }
  }

  /// The fraction of correct examples; `nil` without examples.
  public var accuracy: Double? { ratio(perClass.reduce(0) { $0 + $1.truePositives }, of: count) }

  /// The mean recall of the classes that have examples; `nil` without examples.
  public var balancedAccuracy: Double? {
    perClass.filter { $0.support > 0 }.map(\.scores.recall).mean
  }
}

/// How class metrics are averaged.
public enum Averaging: String, Sendable, Hashable, CaseIterable {
  /// Every class that occurs has the same weight.
  case macro
  /// Every example has the same weight; precision, recall and F1 are then equal to the accuracy.
  case micro
  /// Every class is weighted by its number of examples.
  case weighted
}

/// The one-vs-rest metrics of a class.
///
/// Fractions with a denominator of 0 are 0, as with `zero_division=0` in scikit-learn.
public struct ClassMetrics: Sendable, Hashable {
  /// Precision, recall and F1.
  public struct Scores: Sendable, Hashable {
    /// The fraction of examples predicted as the class that belong to it.
    public let precision: Double
    /// The fraction of the examples of the class that were predicted as it.
    public let recall: Double
    /// The harmonic mean of precision and recall.
    public let f1: Double
  }

  /// The index of the class.
  public let classIndex: Int
  /// The number of correctly predicted examples.
  public let truePositives: Int
  /// The number of examples of the class.
  public let support: Int
  /// The number of examples predicted as the class.
  public let predictedCount: Int

  init(_ classIndex: Int, truePositives: Int, support: Int, predictedCount: Int) {
    (self.classIndex, self.truePositives) = (classIndex, truePositives)
    (self.support, self.predictedCount) = (support, predictedCount)
  }

  /// Precision, recall and F1.
  public var scores: Scores {
    Scores(
      precision: ratio(truePositives, of: predictedCount) ?? 0,
      recall: ratio(truePositives, of: support) ?? 0,
      f1: ratio(2 * truePositives, of: predictedCount + support) ?? 0)
  }
}

extension ClassMetrics.Scores {
  /// Returns equal precision, recall and F1.
  static func all(_ value: Double) -> Self { Self(precision: value, recall: value, f1: value) }

  /// Returns the weighted means over classes; 0 if the sum of the weights is 0.
  static func mean(of classes: [ClassMetrics], weight: (ClassMetrics) -> Double) -> Self {
    let totalWeight = classes.reduce(0) { $0 + weight($1) }
    guard totalWeight > 0 else { return .all(0) }
    func mean(_ score: (ClassMetrics.Scores) -> Double) -> Double {
      classes.reduce(0) { $0 + weight($1) * score($1.scores) } / totalWeight
    }
    return Self(precision: mean(\.precision), recall: mean(\.recall), f1: mean(\.f1))
  }
}
