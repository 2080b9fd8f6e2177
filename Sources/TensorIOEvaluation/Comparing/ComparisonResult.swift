import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// How far two models lie apart.
public struct ComparisonResult: Sendable, Hashable {
  /// How far two outputs lie apart, over all items.
  public struct OutputComparison: Sendable, Hashable {
    /// What the first model calls it.
    public let name: String
    /// The share of items for which both gave the same; `nil` without items.
    public let agreementRate: Double?
    /// The largest difference of two elements of any item.
    public let maxDifference: Double
    /// The mean difference of all elements of all items.
    public let meanDifference: Double
  }

  /// How many items were compared.
  public let comparedCount: Int
  /// How many items failed in one of the models, or both.
  public let failedCount: Int
  /// For how many items both models gave the same answer.
  public let agreedCount: Int
  /// The outputs, in the order of the first model.
  public let outputs: [OutputComparison]
  /// The items that lie furthest apart, the worst first.
  public let worstItems: [ComparedItem]
  /// What each stage of the first model's runs took.
  public let latenciesA: [StageLatency]
  /// What each stage of the second model's runs took.
  public let latenciesB: [StageLatency]

  /// The share of items for which both models gave the same answer; `nil` without items.
  public var agreementRate: Double? { ratio(agreedCount, of: comparedCount) }
  /// The largest difference of any output of any item.
  public var maxDifference: Double { outputs.map(\.maxDifference).max() ?? 0 }
  /// How many times as fast as the first model the second is, by the medians of whole runs.
  public var speedup: Double? {
    guard let a = latenciesA.last?.p50, let b = latenciesB.last?.p50, b > 0 else { return nil }
    return a / b
  }
}

/// Sums items up, one after the other.
struct ComparisonAccumulator {
  private let names: [String]
  private let maxWorstItems: Int
  private var count = 0
  private var failed = 0
  private var agreed = 0
  private var agreements: [Int]
  private var largest: [Double]
  private var means: [RunningMean]
  private var worst: [ComparedItem] = []
  private var timings: (a: [Timings], b: [Timings]) = ([], [])

  init(_ pairs: [OutputPair], worst: Int) {
    names = pairs.map(\.name)
    maxWorstItems = worst
    agreements = names.map { _ in 0 }
    largest = names.map { _ in 0 }
    means = names.map { _ in RunningMean() }
  }

  mutating func add(_ item: ComparedItem) {
    guard case .compared(let differences) = item.outcome else { return failed += 1 }
    count += 1
    if item.agrees { agreed += 1 }
    for (index, difference) in differences.enumerated() {
      if difference.agrees { agreements[index] += 1 }
      largest[index] = max(largest[index], difference.max)
      means[index].add(difference.mean)
    }
    insertIntoWorst(item)
  }

  mutating func add(_ a: Timings, _ b: Timings) {
    timings.a.append(a)
    timings.b.append(b)
  }

  private mutating func insertIntoWorst(_ item: ComparedItem) {
    guard item.maxDifference > 0 else { return }
    let place = worst.firstIndex { item.isWorse(than: $0) } ?? worst.endIndex
    worst.insert(item, at: place)
    if worst.count > maxWorstItems { worst.removeLast() }
  }

  var result: ComparisonResult {
    ComparisonResult(
      comparedCount: count, failedCount: failed, agreedCount: agreed,
      outputs: names.indices.map { index in
        ComparisonResult.OutputComparison(
          name: names[index], agreementRate: ratio(agreements[index], of: count),
          maxDifference: largest[index], meanDifference: means[index].value ?? 0)
      },
      worstItems: worst, latenciesA: timings.a.stageLatencies, latenciesB: timings.b.stageLatencies)
  }
}

/// One of the two models of a comparison.
public enum ComparisonSide: String, Sendable, Hashable, CaseIterable {
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
    public let side: ComparisonSide?
    /// The error's short name.
    public let code: String
    /// The error in words.
    public let message: String

    init(_ error: ModelError, of side: ComparisonSide? = nil) {
      (self.side, code, message) = (side, error.code, error.description)
    }
  }

  /// Its number among the items.
  public let index: Int
  /// What came of it.
  public let outcome: Outcome
  /// What the first model answered, in a few words for each output; empty where it failed.
  public var outputsA: [String] = []
  /// What the second model answered.
  public var outputsB: [String] = []

  /// How far apart the answers are; none where there is nothing to compare.
  public var differences: [OutputDifference] {
    if case .compared(let differences) = outcome { differences } else { [] }
  }

  /// Whether both models give the same answer: the same labels, or else the same of everything.
  public var agrees: Bool {
    guard case .compared(let differences) = outcome else { return false }
    let labelled = differences.filter(\.isLabeled)
    return (labelled.isEmpty ? differences : labelled).allSatisfy(\.agrees)
  }

  /// The largest difference of all outputs.
  public var maxDifference: Double { differences.map(\.max).max() ?? 0 }

  /// Whether it is worse than another one: answers that are not the same come first.
  func isWorse(than other: ComparedItem) -> Bool {
    if agrees != other.agrees { return !agrees }
    return maxDifference == other.maxDifference ? index < other.index : maxDifference > other.maxDifference
  }
}

/// How far what two models gave for one output lies apart.
///
/// Labels, numbers and the pixels of pictures, from 0 to 255, have differences. Texts and bytes are
/// equal, or infinitely far from each other.
public struct OutputDifference: Sendable, Hashable {
  /// The largest difference of two elements.
  public let max: Double
  /// The mean of the differences of all elements.
  public let mean: Double
  /// Whether both answers are the same: the label with the highest score, or else all elements.
  public let agrees: Bool
  /// Whether it was for labels to agree.
  public let isLabeled: Bool

  /// What lies between two values; elements agree up to a tolerance.
  init(_ a: LayerValue, _ b: LayerValue, tolerance: Double) throws(ModelError) {
    let differences = try Self.differences(a, b)
    max = differences.max() ?? 0
    mean = differences.isEmpty ? 0 : differences.reduce(0, +) / Double(differences.count)
    if case .classification(let a) = a, case .classification(let b) = b, a.count > 1 {
      guard a.labels == b.labels else {
        throw ModelError(
          .output, .layerMismatch(what: "labels", first: a.labels, second: b.labels))
      }
      (agrees, isLabeled) = (a.bestIndex == b.bestIndex, true)
    } else {
      (agrees, isLabeled) = (max <= tolerance, false)
    }
  }

  private static func differences(
    _ a: LayerValue, _ b: LayerValue
  ) throws(ModelError) -> [Double] {
    if let a = a.elements, let b = b.elements { return try differences(a, b) }
    return [a == b ? 0 : .infinity]
  }

  private static func differences(_ a: [Double], _ b: [Double]) throws(ModelError) -> [Double] {
    guard a.count == b.count else {
      throw ModelError(.output, .wrongCount(expected: a.count, actual: b.count))
    }
    return zip(a, b).map { a, b in
      // What is equal, or no number in both, does not differ, also where subtracting tells nothing.
      if a == b || (a.isNaN && b.isNaN) { return 0 }
      let difference = abs(a - b)
      return difference.isNaN ? .infinity : difference
    }
  }
}

extension LayerValue {
  /// What can be subtracted; `nil` of texts and bytes.
  fileprivate var elements: [Double]? {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .image(let image): image.converted(to: .rgb).pixels.map(Double.init)
    case .list(let values): values.elements
    case .bytes, .strings: nil
    }
  }
}

extension [LayerValue] {
  fileprivate var elements: [Double]? {
    let lists = compactMap(\.elements)
    return lists.count == count ? lists.flatMap(\.self) : nil
  }
}
