/// How many examples of each true class (rows) were taken for which class (columns).
///
/// Only the cells that occur take memory, so that a thousand classes are no table of a million.
public struct ConfusionMatrix: Sendable, Hashable {
  /// A place in the matrix.
  public struct Cell: Sendable, Hashable {
    /// The right class.
    public let truth: Int
    /// The class that it was taken for.
    public let found: Int

    /// A place in the matrix.
    public init(truth: Int, found: Int) {
      (self.truth, self.found) = (truth, found)
    }
  }

  /// How often a class was right, was found, and both.
  private struct Tally: Hashable {
    var truth = 0
    var found = 0
    var right = 0
  }

  /// The cells that are not 0.
  public private(set) var cells: [Cell: Int] = [:]
  /// How many examples there were.
  public private(set) var count = 0
  private var tallies: [Int: Tally] = [:]

  /// A matrix of zeros.
  public init() {}

  /// Counts an example.
  public mutating func add(_ found: Int, truth: Int) {
    count += 1
    cells[Cell(truth: truth, found: found), default: 0] += 1
    tallies[truth, default: Tally()].truth += 1
    tallies[found, default: Tally()].found += 1
    if truth == found { tallies[truth]?.right += 1 }
  }

  /// How many examples of a class were taken for another.
  public subscript(truth truth: Int, found found: Int) -> Int {
    cells[Cell(truth: truth, found: found)] ?? 0
  }

  /// The part of the matrix that concerns some classes, row by row.
  public func rows(of classes: some Collection<Int>) -> [[Int]] {
    classes.map { truth in classes.map { self[truth: truth, found: $0] } }
  }

  /// The classes that occur, as the truth or as an answer, in order.
  public var classes: [Int] { tallies.keys.sorted() }

  /// The mistakes, the most frequent first; of equally many, those of the lower class.
  public var mistakes: [(cell: Cell, count: Int)] {
    cells.filter { $0.key.truth != $0.key.found }
      .map { (cell: $0.key, count: $0.value) }
      .sorted {
        (-$0.count, $0.cell.truth, $0.cell.found) < (-$1.count, $1.cell.truth, $1.cell.found)
      }
  }
}

extension ConfusionMatrix {
  /// The figures of a class; all of them are 0 for one that does not occur.
  public subscript(class index: Int) -> ClassFigures {
    let tally = tallies[index] ?? Tally()
    return ClassFigures(index, right: tally.right, truth: tally.truth, found: tally.found)
  }

  /// The figures of the classes that occur, in order.
  public var perClass: [ClassFigures] { classes.map { self[class: $0] } }

  /// The figures of all classes in one.
  public func average(_ averaging: Averaging) -> ClassFigures.Scores {
    let classes = perClass
    switch averaging {
    case .micro: return .all(share(classes.reduce(0) { $0 + $1.right }, of: count) ?? 0)
    case .macro: return .mean(of: classes) { _ in 1 }
    case .weighted: return .mean(of: classes) { Double($0.support) }
    }
  }

  /// The share of the examples that is right; `nil` without examples.
  public var accuracy: Double? { share(perClass.reduce(0) { $0 + $1.right }, of: count) }

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
