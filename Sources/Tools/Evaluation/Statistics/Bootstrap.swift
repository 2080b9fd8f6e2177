import TensorIOCore
import TensorIOSystem

/// Draws items with replacement to find how much metrics depend on the choice of the items.
///
/// All draws are seeded, so that a report can be reproduced, and are the same for two models on the same items, so
/// that the differences of their metrics are those on equal items.
struct Bootstrap: Sendable {
  /// The number of resamples, unless the metrics take long to compute.
  static let maxResamples = 2000
  /// The smallest number of resamples.
  private static let minResamples = 200
  /// The seed of all draws.
  static let seed: UInt64 = 50
  /// The number of additions that all resamples may take together.
  private static let maxCost = 1 << 30
  /// The number of resamples that one thread computes at a time.
  private static let chunk = 25

  /// The number of items.
  let itemCount: Int
  /// The number of resamples.
  let resampleCount: Int

  /// Creates the resamples of items, fewer of them if metrics take long.
  init(itemCount: Int, cost: Int) {
    self.itemCount = itemCount
    resampleCount = min(
      Self.maxResamples, max(Self.minResamples, Self.maxCost / max(1, cost + itemCount)))
  }

  /// Returns how often a resample has each item.
  func weights(ofResample index: Int) -> [Int32] {
    var random = SplitMix64(seed: Self.seed, stream: UInt64(index))
    return random.counts(below: itemCount, draws: itemCount)
  }

  /// Returns the value of each metric in all resamples by its name; NaN if it is undefined in one.
  func distributions(of metrics: [any ItemMetric]) -> [String: [Double]] {
    let metrics = metrics.filter { $0.reasonAgainstIntervals == nil }
    guard itemCount > 1, !metrics.isEmpty else { return [:] }
    var distributions: [String: [Double]] = [:]
    let chunks = (resampleCount + Self.chunk - 1) / Self.chunk
    OrderedParallelMap.run(chunks, threads: ThreadCount.defaultCount) { chunk in
      (chunk * Self.chunk..<min(resampleCount, (chunk + 1) * Self.chunk)).map { index in
        let weights = weights(ofResample: index)
        return metrics.flatMap { $0.values(weights) }
      }
    } deliver: { (chunk, resamples) -> OrderedParallelMap.Decision in
      for (offset, metrics) in resamples.enumerated() {
        for metric in metrics {
          guard let value = metric.value else { continue }
          distributions[
            metric.name, default: [Double](repeating: .nan, count: resampleCount)][
              chunk * Self.chunk + offset] = value
        }
      }
      return .proceed
    }
    return distributions
  }
}
