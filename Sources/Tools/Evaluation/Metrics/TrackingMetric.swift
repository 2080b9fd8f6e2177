package import TensorIOTasks

/// The metrics of tracked objects: CLEAR MOT, and the identity metrics IDF1, IDP and IDR.
///
/// An object and a ground-truth object match if the intersection over union of their boxes reaches a
/// threshold. A match of the last frame in which the object was found has priority over others; the
/// remaining ones have the smallest sum of distances. Boxes that are not finite match nothing.
package struct TrackingMetric: Metric {
  /// A box with the number of its object.
  package struct Item: Sendable, Hashable {
    /// The number of the object, which is unique in its frame.
    package var id: Int
    /// The box.
    package var box: BoundingBox

    /// Creates an item.
    package init(id: Int, box: BoundingBox) { (self.id, self.box) = (id, box) }
  }

  /// A predicted and a ground-truth object.
  private struct Pair: Hashable, Sendable {
    let groundTruth: Int
    let prediction: Int
  }

  private let threshold: Double
  /// The prediction that each ground-truth object was last matched with.
  private var lastMatches: [Int: Int] = [:]
  /// The number of frames in which two objects overlap sufficiently.
  private var overlaps: [Pair: Int] = [:]
  /// The number of frames of each ground-truth object.
  private var groundTruthLengths: [Int: Int] = [:]
  /// The number of frames of each predicted object.
  private var predictionLengths: [Int: Int] = [:]
  private var distanceSum = 0.0

  /// The number of matches.
  package private(set) var matchCount = 0
  /// The number of ground-truth boxes without a match.
  package private(set) var missCount = 0
  /// The number of predicted boxes without a match.
  package private(set) var falsePositiveCount = 0
  /// The number of matches with another object than before.
  package private(set) var switchCount = 0

  /// Creates a metric without frames.
  package init(iouThreshold: Double = 0.5) { threshold = iouThreshold }

  /// Adds the objects of the next frame.
  package mutating func add(_ predictions: [Item], groundTruth: [Item]) {
    for item in predictions { predictionLengths[item.id, default: 0] += 1 }
    for item in groundTruth { groundTruthLengths[item.id, default: 0] += 1 }
    let distances = groundTruth.map { target in
      predictions.map { prediction -> Double? in
        let overlap = target.box.intersectionOverUnion(prediction.box)
        return overlap >= threshold && overlap > 0 ? 1 - overlap : nil
      }
    }
    for (row, target) in groundTruth.enumerated() {
      for (column, prediction) in predictions.enumerated() where distances[row][column] != nil {
        overlaps[Pair(groundTruth: target.id, prediction: prediction.id), default: 0] += 1
      }
    }
    let columns = columns(groundTruth.map(\.id), predictions.map(\.id), distances)
    for (row, column) in columns.enumerated() {
      guard let column, let distance = distances[row][column] else { continue }
      let (target, prediction) = (groundTruth[row].id, predictions[column].id)
      if let last = lastMatches[target], last != prediction { switchCount += 1 }
      lastMatches[target] = prediction
      distanceSum += distance
      matchCount += 1
    }
    let found = columns.count { $0 != nil }
    missCount += groundTruth.count - found
    falsePositiveCount += predictions.count - found
  }

  /// Returns the prediction of each ground-truth object; `nil` for those without a match.
  private func columns(
    _ groundTruth: [Int], _ predictions: [Int], _ distances: [[Double?]]
  ) -> [Int?] {
    var columns = [Int?](repeating: nil, count: groundTruth.count)
    var isUsed = [Bool](repeating: false, count: predictions.count)
    for (row, id) in groundTruth.enumerated() {
      guard let last = lastMatches[id],
        let column = predictions.indices.first(where: { predictions[$0] == last && !isUsed[$0] }),
        distances[row][column] != nil
      else { continue }
      columns[row] = column
      isUsed[column] = true
    }
    let rows = groundTruth.indices.filter { columns[$0] == nil }
    let free = predictions.indices.filter { !isUsed[$0] }
    // The number of matches comes before their distance, which is at most 1.
    let impossible = Double(groundTruth.count + predictions.count + 1)
    let costs = rows.flatMap { row in free.map { distances[row][$0] ?? impossible } }
    let assigned = LinearAssignment.columns(minimizing: costs, columnCount: free.count)
    for (row, column) in zip(rows, assigned) {
      if let column, distances[row][free[column]] != nil { columns[row] = free[column] }
    }
    return columns
  }
}

extension TrackingMetric {
  /// The number of ground-truth boxes.
  private var groundTruthCount: Int { groundTruthLengths.values.reduce(0, +) }
  /// The number of predicted boxes.
  private var predictionCount: Int { predictionLengths.values.reduce(0, +) }

  /// 1 minus the ratio of misses, false positives and switches to ground-truth boxes; it can be
  /// negative.
  package var accuracy: Double? {
    ratio(missCount + falsePositiveCount + switchCount, of: groundTruthCount).map { 1 - $0 }
  }

  /// The mean distance of matches: 1 minus their intersection over union.
  package var meanDistance: Double? { matchCount > 0 ? distanceSum / Double(matchCount) : nil }

  /// The number of boxes whose objects belong together, if each ground-truth object is assigned to at
  /// most one predicted object so that the number is the largest possible.
  private var identityMatchCount: Int {
    let targets = Set(overlaps.keys.map(\.groundTruth)).sorted()
    let predictions = Set(overlaps.keys.map(\.prediction)).sorted()
    let costs = targets.flatMap { target in
      predictions.map { -Double(overlaps[Pair(groundTruth: target, prediction: $0)] ?? 0) }
    }
    let columns = LinearAssignment.columns(minimizing: costs, columnCount: predictions.count)
    return columns.enumerated().reduce(0) { sum, entry in
      guard let column = entry.element else { return sum }
      return sum - Int(costs[entry.offset * predictions.count + column])
    }
  }

  /// `mota`, `motp`, `idf1`, `idp`, `idr`, `id_switches`, `misses` and `false_positives`.
  package var values: [MetricValue] {
    let matches = identityMatchCount
    return [
      accuracy.map { MetricValue("mota", $0, direction: .higher) },
      .error("motp", meanDistance),
      .fraction("idf1", ratio(2 * matches, of: groundTruthCount + predictionCount)),
      .fraction("idp", ratio(matches, of: predictionCount)),
      .fraction("idr", ratio(matches, of: groundTruthCount)),
      .error("id_switches", Double(switchCount)), .error("misses", Double(missCount)),
      .error("false_positives", Double(falsePositiveCount)),
    ].compactMap(\.self)
  }
}
