import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// The differences between the outputs of two models.
public struct ComparisonResult: Sendable, Hashable {
  /// The differences of one output over all items.
  public struct OutputComparison: Sendable, Hashable {
    /// The name of the output in the first model.
    public let name: String
    /// The fraction of items for which the outputs agree; `nil` without items.
    public let agreementRate: Double?
    /// The largest difference of two elements.
    public let maxDifference: Double
    /// The mean difference of all elements.
    public let meanDifference: Double
  }

  /// The number of compared items.
  public let comparedCount: Int
  /// The number of items that failed in at least one model.
  public let failedCount: Int
  /// The number of items for which the models agree.
  public let agreedCount: Int
  /// The outputs, in the order of the first model.
  public let outputs: [OutputComparison]
  /// The items with the largest differences, largest first.
  package let worstItems: [ComparedItem]
  /// The latency of each stage of the first model.
  package let latenciesA: [StageLatency]
  /// The latency of each stage of the second model.
  package let latenciesB: [StageLatency]

  /// The fraction of items for which the models agree; `nil` without items.
  public var agreementRate: Double? { ratio(agreedCount, of: comparedCount) }
  /// The largest difference of all outputs and items.
  public var maxDifference: Double { outputs.map(\.maxDifference).max() ?? 0 }
  /// The speed of the second model relative to the first, from the median total latencies.
  public var speedup: Double? {
    guard let a = latenciesA.last?.p50, let b = latenciesB.last?.p50, b > 0 else { return nil }
    return a / b
  }
}

/// Accumulates compared items into a result.
struct ComparisonAccumulator {
  private let names: [String]
  private let maxWorstItems: Int
  private var count = 0
  private var failed = 0
  private var agreed = 0
  private var agreements: [Int]
  private var maxDifferences: [Double]
  private var means: [RunningMean]
  private var worst: [ComparedItem] = []
  private var timings: (a: [Timings], b: [Timings]) = ([], [])

  init(_ pairs: [OutputPair], worst: Int) {
    names = pairs.map(\.name)
    maxWorstItems = worst
    agreements = names.map { _ in 0 }
    maxDifferences = names.map { _ in 0 }
    means = names.map { _ in RunningMean() }
  }

  mutating func add(_ item: ComparedItem) {
    guard case .compared(let differences) = item.outcome else { return failed += 1 }
    count += 1
    if item.agrees { agreed += 1 }
    for (index, difference) in differences.enumerated() {
      if difference.agrees { agreements[index] += 1 }
      maxDifferences[index] = max(maxDifferences[index], difference.max)
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
    let index = worst.firstIndex { item.isWorse(than: $0) } ?? worst.endIndex
    worst.insert(item, at: index)
    if worst.count > maxWorstItems { worst.removeLast() }
  }

  var result: ComparisonResult {
    ComparisonResult(
      comparedCount: count, failedCount: failed, agreedCount: agreed,
      outputs: names.indices.map { index in
        ComparisonResult.OutputComparison(
          name: names[index], agreementRate: ratio(agreements[index], of: count),
          maxDifference: maxDifferences[index], meanDifference: means[index].value ?? 0)
      },
      worstItems: worst, latenciesA: timings.a.stageLatencies, latenciesB: timings.b.stageLatencies)
  }
}

/// One of the two models of a comparison.
package enum ComparisonSide: String, Sendable, Hashable, CaseIterable {
  /// The first model.
  case a
  /// The second model.
  case b
}

/// One item that was run through both models.
package struct ComparedItem: Sendable, Hashable {
  /// The outcome for an item.
  package enum Outcome: Sendable, Hashable {
    /// The differences of each output.
    case compared([OutputDifference])
    /// The errors that prevented a comparison.
    case failed([Failure])
  }

  /// An error that prevented the comparison of an item.
  package struct Failure: Sendable, Hashable {
    /// The model that failed; `nil` if the item could not be read or the outputs are not
    /// comparable.
    package let side: ComparisonSide?
    /// The error code.
    package let code: String
    /// The error message.
    package let message: String

    init(_ error: ModelError, of side: ComparisonSide? = nil) {
      (self.side, code, message) = (side, error.code, error.description)
    }
  }

  /// The index of the item.
  package let index: Int
  /// The outcome.
  package let outcome: Outcome
  /// A short description of each output of the first model; empty if the item failed.
  package var outputsA: [String] = []
  /// A short description of each output of the second model; empty if the item failed.
  package var outputsB: [String] = []

  /// The differences of each output; empty if the item failed.
  package var differences: [OutputDifference] {
    if case .compared(let differences) = outcome { differences } else { [] }
  }

  /// Whether the models agree: on the labels if there are any, otherwise on all outputs.
  package var agrees: Bool {
    guard case .compared(let differences) = outcome else { return false }
    let labeled = differences.filter(\.isLabeled)
    return (labeled.isEmpty ? differences : labeled).allSatisfy(\.agrees)
  }

  /// The largest difference of all outputs.
  package var maxDifference: Double { differences.map(\.max).max() ?? 0 }

  /// Returns whether the item ranks before another: disagreement first, then the largest
  /// difference.
  func isWorse(than other: ComparedItem) -> Bool {
    if agrees != other.agrees { return !agrees }
    return maxDifference == other.maxDifference
      ? index < other.index : maxDifference > other.maxDifference
  }
}

/// The difference between two values of one output.
///
/// Class scores, numbers and pixels (0 to 255) are compared element by element. Strings and bytes
/// have a difference of 0 if they are equal, otherwise infinity.
package struct OutputDifference: Sendable, Hashable {
  /// The largest difference of two elements.
  package let max: Double
  /// The mean of the differences of all elements.
  package let mean: Double
  /// Whether the values agree: on the label with the highest score, or on all elements.
  package let agrees: Bool
  /// Whether agreement is decided by labels.
  package let isLabeled: Bool

  /// Compares two values; elements agree if they differ by at most the tolerance.
  ///
  /// Without a tolerance, that of floating-point numbers is
  /// ``ModelComparison/defaultTolerance``, relative to the larger one if it is above 1.
  init(_ a: LayerValue, _ b: LayerValue, tolerance: Double?) throws(ModelError) {
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
      agrees =
        tolerance.map { [max] in max <= $0 } ?? (max == 0 || Self.agreesByDefault(a, b))
      isLabeled = false
    }
  }

  private static func agreesByDefault(_ a: LayerValue, _ b: LayerValue) -> Bool {
    guard a.hasFloatingPointElements, b.hasFloatingPointElements, let a = a.elements,
      let b = b.elements
    else { return false }
    return zip(a, b).allSatisfy { a, b in
      let limit = ModelComparison.defaultTolerance * Swift.max(1, Swift.max(abs(a), abs(b)))
      return a == b || (a.isNaN && b.isNaN) || (limit.isFinite && abs(a - b) <= limit)
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
      // Equal infinities and two NaN values do not differ, although subtracting them gives NaN.
      if a == b || (a.isNaN && b.isNaN) { return 0 }
      let difference = abs(a - b)
      return difference.isNaN ? .infinity : difference
    }
  }
}

extension LayerValue {
  /// Whether the elements are floating-point numbers or class scores.
  fileprivate var hasFloatingPointElements: Bool {
    switch self {
    case .numbers(let numbers):
      switch numbers.elements {
      case .floats, .doubles: true
      case .integers, .booleans: false
      }
    case .classification: true
    case .list(let values): values.allSatisfy(\.hasFloatingPointElements)
    case .image, .bytes, .strings, .tokens, .audio: false
    }
  }

  /// The numeric elements; `nil` for strings and bytes.
  fileprivate var elements: [Double]? {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .image(let image): image.converted(to: .rgb).pixels.map(Double.init)
    case .list(let values): values.elements
    case .bytes, .strings, .tokens, .audio: nil
    }
  }
}

extension [LayerValue] {
  fileprivate var elements: [Double]? {
    let lists = compactMap(\.elements)
    return lists.count == count ? lists.flatMap(\.self) : nil
  }
}
