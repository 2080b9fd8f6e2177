public import TensorIOBundle
import TensorIOSystem

/// The fractions into which a dataset is split.
///
/// ```swift
/// import TensorIOData
///
/// let images = try LabeledImages(at: "animals")
/// let parts = images.split(try SplitRatios(parsing: "0.8/0.1/0.1"), seed: 7)
/// ```
public struct SplitRatios: Sendable, Hashable {
  /// The fraction of each split; their sum is 1.
  public let fractions: [Double]

  /// The maximum difference of the sum from 1.
  private static let tolerance = 1e-6
  /// The maximum number of splits.
  static let maxSplits = 100

  /// Creates ratios from positive fractions whose sum is 1.
  ///
  /// - Throws: `ModelError` with code `invalid-split`.
  public init(_ fractions: [Double]) throws(ModelError) {
    do throws(DataDiagnostic) {
      try Self.check(fractions)
    } catch {
      throw ModelError(.input, .invalidData([error.diagnostic(path: "")]))
    }
    self.fractions = fractions
  }

  /// Creates ratios from a text such as `0.8/0.1/0.1`.
  ///
  /// - Throws: `ModelError` with code `invalid-split`.
  public init(parsing text: String) throws(ModelError) {
    var fractions: [Double] = []
    for part in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let fraction = Double(part.trimmed) else {
        throw ModelError(
          .input, .invalidData([DataDiagnostic.invalidSplit(text).diagnostic(path: "")]))
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
  /// Returns disjoint parts of the dataset, stratified by label.
  ///
  /// The assignment depends on the seed only. The size of each part differs from its fraction by at
  /// most one item, and items keep their order within a part. An item with several labels counts
  /// for the rarest of them.
  public func split(_ split: SplitRatios, seed: UInt64 = 0) -> [Self] {
    var parts = [[Int]](repeating: [], count: split.fractions.count)
    for (position, item) in stratifiedOrder(seed: seed).enumerated() {
      let deficits = parts.indices.map { part in
        split.fractions[part] * Double(position + 1) - Double(parts[part].count)
      }
      let part = parts.indices.max { deficits[$0] < deficits[$1] } ?? 0
      parts[part].append(item)
    }
    return parts.map { selecting($0.sorted()) }
  }

  /// The indices of all items, grouped by label and shuffled within each group.
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
      found: quoted(text), message: "invalid split")
  }
}
