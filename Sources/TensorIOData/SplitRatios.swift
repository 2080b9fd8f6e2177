public import TensorIOBundle
import TensorIOSystem

/// Into which parts data is split.
///
/// ```swift
/// let parts = try data.split(SplitRatios(parsing: "0.8/0.1/0.1"), seed: 7)
/// ```
public struct SplitRatios: Sendable, Hashable {
  /// The share of each part; together they are 1.
  public let fractions: [Double]

  /// By how much the sum of fractions may differ from 1.
  private static let tolerance = 1e-6
  /// So many parts there may be.
  static let maxSplits = 100

  /// A split into shares that together are 1.
  public init(_ fractions: [Double]) throws(ModelError) {
    do throws(DataDiagnostic) {
      try Self.check(fractions)
    } catch {
      throw ModelError(.input, .invalidData([error.diagnostic(path: "")]))
    }
    self.fractions = fractions
  }

  /// A split as people write it: `0.8/0.1/0.1`.
  public init(parsing text: String) throws(ModelError) {
    var fractions: [Double] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let fraction = Double(String(part).trimmed) else {
        throw ModelError(.input, .invalidData([DataDiagnostic.invalidSplit(text).diagnostic(path: "")]))
      }
      fractions.append(fraction)
    }
    try self.init(fractions)
  }

  private static func check(_ fractions: [Double]) throws(DataDiagnostic) {
    let text = fractions.map { "\($0)" }.joined(separator: "/")
    guard (1...maxSplits).contains(fractions.count),
      fractions.allSatisfy({ $0.isFinite && $0 > 0 }),
      abs(fractions.reduce(0, +) - 1) <= tolerance
    else { throw .invalidSplit(text) }
  }
}

extension IndexedDataset {
  /// The items in parts that share no item, each with about the same share of every label.
  ///
  /// Which item goes where follows from the seed alone. No part has more than an item more or less
  /// than its share; in every part, items keep their order. An item with several labels counts for
  /// the rarest of them.
  public func split(_ split: SplitRatios, seed: UInt64 = 0) -> [Self] {
    var parts = [[Int]](repeating: [], count: split.fractions.count)
    for (position, item) in stratifiedOrder(seed: seed).enumerated() {
      let missing = parts.indices.map { part in
        split.fractions[part] * Double(position + 1) - Double(parts[part].count)
      }
      let neediest = parts.indices.max { missing[$0] < missing[$1] } ?? 0
      parts[neediest].append(item)
    }
    return parts.map { selecting($0.sorted()) }
  }

  /// All items, label by label, within each shuffled.
  private func stratifiedOrder(seed: UInt64) -> [Int] {
    let labels = (0..<count).map { labelIndices(at: $0) }
    var frequencies: [Int: Int] = [:]
    for label in labels.joined() { frequencies[label, default: 0] += 1 }
    let rarest = labels.map { labels in
      labels.min { (frequencies[$0] ?? 0, $0) < (frequencies[$1] ?? 0, $1) } ?? -1
    }
    return Dictionary(grouping: 0..<count) { rarest[$0] }.sorted { $0.key < $1.key }
      .flatMap { label, items in
        items.permuted(by: SplitMix64(seed: seed, stream: UInt64(truncatingIfNeeded: label)))
      }
  }
}

extension DataDiagnostic {
  static func invalidSplit(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-split", expected: "positive fractions whose sum is 1, such as 0.8/0.1/0.1",
      found: quoted(text), message: "This is no split.")
  }
}
