internal import TensorIOCore

/// How far two models lie apart.
public struct ComparisonResult: Sendable, Hashable {
  /// How far two outputs lie apart, over all items.
  public struct Output: Sendable, Hashable {
    /// What the first model calls it.
    public let name: String
    /// The share of items for which both gave the same; `nil` without items.
    public let agreement: Double?
    /// The largest difference of two elements of any item.
    public let largest: Double
    /// The mean difference of all elements of all items.
    public let mean: Double
  }

  /// How many items were compared.
  public let count: Int
  /// How many items failed in one of the models, or both.
  public let failed: Int
  /// For how many items both models gave the same answer.
  public let agreed: Int
  /// The outputs, in the order of the first model.
  public let outputs: [Output]
  /// The items that lie furthest apart, the worst first.
  public let worst: [ComparedItem]
  /// What each stage of the first model's runs took.
  public let speedA: [StageSpeed]
  /// What each stage of the second model's runs took.
  public let speedB: [StageSpeed]

  /// The share of items for which both models gave the same answer; `nil` without items.
  public var agreement: Double? { share(agreed, of: count) }
  /// The largest difference of any output of any item.
  public var largest: Double { outputs.map(\.largest).max() ?? 0 }
  /// How many times as fast as the first model the second is, by the medians of whole runs.
  public var speedRatio: Double? {
    guard let a = speedA.last?.p50, let b = speedB.last?.p50, b > 0 else { return nil }
    return a / b
  }
}

/// Sums items up, one after the other.
struct ComparisonSum {
  private let names: [String]
  private let worstCount: Int
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
    worstCount = worst
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
      largest[index] = max(largest[index], difference.largest)
      means[index].add(difference.mean)
    }
    keep(item)
  }

  mutating func add(_ a: Timings, _ b: Timings) {
    timings.a.append(a)
    timings.b.append(b)
  }

  private mutating func keep(_ item: ComparedItem) {
    guard item.largest > 0 else { return }
    let place = worst.firstIndex { item.isWorse(than: $0) } ?? worst.endIndex
    worst.insert(item, at: place)
    if worst.count > worstCount { worst.removeLast() }
  }

  var result: ComparisonResult {
    ComparisonResult(
      count: count, failed: failed, agreed: agreed,
      outputs: names.indices.map { index in
        ComparisonResult.Output(
          name: names[index], agreement: share(agreements[index], of: count),
          largest: largest[index], mean: means[index].value ?? 0)
      },
      worst: worst, speedA: timings.a.stageSpeeds, speedB: timings.b.stageSpeeds)
  }
}
