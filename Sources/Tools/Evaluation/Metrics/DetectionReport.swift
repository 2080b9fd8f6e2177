/// COCO metrics over all classes and by class.
///
/// A metric is `nil` if no ground-truth box counts for it; pycocotools returns −1.
public struct DetectionReport: Sendable, Hashable {
  private let curves: [CategoryCurves]

  init(_ curves: [CategoryCurves]) {
    self.curves = curves
  }

  /// The classes that have ground-truth boxes, in ascending order.
  public var categories: [Int] { curves.map(\.category) }

  /// Returns the mean average precision over all classes.
  ///
  /// - Parameters:
  ///   - threshold: One of ``COCOParameters/iouThresholds``; `nil` averages over all of them.
  ///   - area: The area range.
  /// - Returns: The mean; `nil` if there is nothing to average.
  public func averagePrecision(
    iou threshold: Double? = nil, area: AreaRange = .all
  ) -> Double? {
    Self.averagePrecision(of: curves, at: threshold, area)
  }

  /// Returns the average recall over all classes and thresholds.
  ///
  /// - Parameters:
  ///   - maxDetections: The number of detections per class and image that count: 1, 10 or 100. Area
  ///     ranges other than `all` always use 100.
  ///   - area: The area range.
  /// - Returns: The mean; `nil` if there is nothing to average.
  public func averageRecall(
    maxDetections: Int = COCOParameters.maxDetections, area: AreaRange = .all
  ) -> Double? {
    let limit = area == .all ? maxDetections : COCOParameters.maxDetections
    return curves.flatMap { $0.recalls(area, maxDetections: limit) }.mean
  }

  /// Returns the average recall over all classes at one of ``COCOParameters/iouThresholds``.
  func averageRecall(iou threshold: Double) -> Double? {
    guard let index = Self.thresholdIndex(of: threshold) else { return nil }
    return curves.map { $0.recalls(.all)[index] }.mean
  }

  /// Returns the metrics of a class; `nil` if it has no ground-truth boxes.
  public func category(_ category: Int) -> CategoryMetrics? {
    guard let curves = curves.first(where: { $0.category == category }) else { return nil }
    return CategoryMetrics(
      category: category, count: curves.groundTruthCounts[AreaRange.all.rawValue],
      averagePrecision: Self.averagePrecision(of: [curves], at: nil, .all),
      averagePrecision50: Self.averagePrecision(of: [curves], at: 0.5, .all),
      averageRecall: curves.recalls(.all).mean)
  }

  /// Returns the precisions of a class at ``COCOParameters/recallThresholds``; `nil` if no
  /// ground-truth box counts.
  public func precisions(
    of category: Int, iou threshold: Double = 0.5, area: AreaRange = .all
  ) -> [Double]? {
    guard let index = Self.thresholdIndex(of: threshold),
      let curves = curves.first(where: { $0.category == category })?.curves(area), !curves.isEmpty
    else { return nil }
    return curves[index].precisions
  }

  /// The metrics of a class.
  public struct CategoryMetrics: Sendable, Hashable {
    /// The index of the class.
    public let category: Int
    /// The number of ground-truth boxes.
    public let count: Int
    /// The average precision over all thresholds.
    public let averagePrecision: Double?
    /// The average precision at an IoU of 0.5.
    public let averagePrecision50: Double?
    /// The average recall over all thresholds.
    public let averageRecall: Double?
  }
}

extension DetectionReport {
  private static func averagePrecision(
    of curves: [CategoryCurves], at threshold: Double?, _ area: AreaRange
  ) -> Double? {
    curves.flatMap { category in
      zip(COCOParameters.iouThresholds, category.curves(area))
        .filter { threshold.map($0.0.isNearly) ?? true }
        .flatMap(\.1.precisions)
    }.mean
  }

  private static func thresholdIndex(of threshold: Double) -> Int? {
    COCOParameters.iouThresholds.firstIndex { $0.isNearly(threshold) }
  }

  /// The twelve COCO metrics, under the names that gates use.
  public var values: [MetricValue] {
    [
      .fraction("map", averagePrecision()), .fraction("map50", averagePrecision(iou: 0.5)),
      .fraction("map75", averagePrecision(iou: 0.75)),
      .fraction("map_small", averagePrecision(area: .small)),
      .fraction("map_medium", averagePrecision(area: .medium)),
      .fraction("map_large", averagePrecision(area: .large)),
      .fraction("ar1", averageRecall(maxDetections: 1)),
      .fraction("ar10", averageRecall(maxDetections: 10)),
      .fraction("ar100", averageRecall()), .fraction("ar_small", averageRecall(area: .small)),
      .fraction("ar_medium", averageRecall(area: .medium)),
      .fraction("ar_large", averageRecall(area: .large)),
    ].compactMap(\.self)
  }
}

extension Double {
  /// Returns whether two thresholds are equal except for rounding.
  fileprivate func isNearly(_ other: Double) -> Bool { abs(self - other) < 1e-9 }
}

/// The precision-recall curves of a class, by area range and IoU threshold.
struct CategoryCurves: Sendable, Hashable {
  /// The precisions at ``COCOParameters/recallThresholds``, and the maximum recall.
  struct Curve: Sendable, Hashable {
    let precisions: [Double]
    let recall: Double
  }

  let category: Int
  let groundTruthCounts: [Int]
  /// The curves by area range and threshold; empty for an area range without ground-truth boxes.
  private let curves: [[Curve]]
  /// The recalls over all areas by threshold, keyed by the maximum number of detections per image.
  private let recallsByMaxDetections: [Int: [Double]]

  init(category: Int, accumulator: CategoryAccumulator) {
    self.category = category
    groundTruthCounts = accumulator.groundTruthCounts
    let order = accumulator.records.indices.sortedByScore { accumulator.records[$0].score }
    let records = order.map { accumulator.records[$0] }
    curves = AreaRange.allCases.map { range in
      let count = accumulator.groundTruthCounts[range.rawValue]
      return count == 0 ? [] : range.criteria.map { records.curve($0, of: count) }
    }
    let count = accumulator.groundTruthCounts[AreaRange.all.rawValue]
    recallsByMaxDetections = [1, 10].reduce(into: [:]) { recalls, limit in
      let records = records.filter { $0.rank < limit }
      recalls[limit] = AreaRange.all.criteria.map { records.recall($0, of: count) }
    }
  }

  /// Returns the curves of an area range by threshold; empty without ground-truth boxes.
  func curves(_ area: AreaRange) -> [Curve] { curves[area.rawValue] }

  /// Returns the recalls by threshold for a maximum number of detections per image.
  func recalls(_ area: AreaRange, maxDetections: Int = COCOParameters.maxDetections) -> [Double] {
    maxDetections == COCOParameters.maxDetections
      ? curves(area).map(\.recall) : recallsByMaxDetections[maxDetections] ?? []
  }
}

extension DetectionRecord {
  fileprivate func counts(_ bit: UInt64) -> Bool { ignored & bit == 0 }
  fileprivate func isMatched(_ bit: UInt64) -> Bool { matched & bit != 0 }
}

extension [DetectionRecord] {
  /// Returns the fraction of ground-truth boxes that are matched.
  fileprivate func recall(_ criterion: MatchCriterion, of groundTruthCount: Int) -> Double {
    let bit = criterion.bit
    return ratio(count { $0.counts(bit) && $0.isMatched(bit) }, of: groundTruthCount) ?? 0
  }

  /// Returns the precision-recall curve of detections sorted by descending score.
  fileprivate func curve(
    _ criterion: MatchCriterion, of groundTruthCount: Int
  ) -> CategoryCurves.Curve {
    var precisions = precisions(criterion.bit)
    precisions.makeMonotonicallyDecreasing()
    return CategoryCurves.Curve(
      precisions: precisions.interpolatedAtRecallThresholds(groundTruthCount: groundTruthCount),
      recall: ratio(precisions.count, of: groundTruthCount) ?? 0)
  }

  /// Returns the precision at each true positive.
  private func precisions(_ bit: UInt64) -> [Double] {
    var counted = 0.0
    var precisions: [Double] = []
    for record in self where record.counts(bit) {
      counted += 1
      guard record.isMatched(bit) else { continue }
      // pycocotools adds the same epsilon, which affects the last digit.
      precisions.append(Double(precisions.count + 1) / (counted + .ulpOfOne))
    }
    return precisions
  }
}

extension [Double] {
  /// Replaces each element by the maximum of itself and all following elements.
  fileprivate mutating func makeMonotonicallyDecreasing() {
    for index in indices.dropLast().reversed() {
      self[index] = Swift.max(self[index], self[index + 1])
    }
  }

  /// Returns the precision at the first point that reaches each recall threshold, or 0 if none
  /// does.
  fileprivate func interpolatedAtRecallThresholds(groundTruthCount: Int) -> [Double] {
    var index = 0
    return COCOParameters.recallThresholds.map { recall in
      while index < count, Double(index + 1) / Double(groundTruthCount) < recall { index += 1 }
      return index < count ? self[index] : 0
    }
  }
}
