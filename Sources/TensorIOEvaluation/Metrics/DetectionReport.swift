/// What there is to say of boxes, of all classes and of each.
///
/// A figure is `nil` where no thing counts for it; the reference says −1.
public struct DetectionReport: Sendable, Hashable {
  private let curves: [CategoryCurves]

  init(_ curves: [CategoryCurves]) {
    self.curves = curves
  }

  /// The classes that have things, in order.
  public var categories: [Int] { curves.map(\.category) }

  /// The mean of the precisions of all classes over all recalls and thresholds, or at one of them.
  ///
  /// A threshold is one of ``COCOParameters/thresholds``; all of them are used unless one is named.
  public func averagePrecision(
    iou threshold: Double? = nil, area: AreaRange = .all
  ) -> Double? {
    Self.averagePrecision(of: curves, at: threshold, area)
  }

  /// The mean of the recalls of all classes over all thresholds.
  ///
  /// The limit is how many detections of a class count in a picture: 1, 10 or 100, and of a
  /// single size always 100. Others are not known.
  public func averageRecall(
    maxDetections: Int = COCOParameters.maxDetections, area: AreaRange = .all
  ) -> Double? {
    curves.flatMap { $0.recalls(area, maxDetections: area == .all ? maxDetections : COCOParameters.maxDetections) }.mean
  }

  /// The figures of a class; `nil` for one that has no things.
  public func category(_ category: Int) -> CategoryMetrics? {
    guard let curves = curves.first(where: { $0.category == category }) else { return nil }
    return CategoryMetrics(
      category: category, count: curves.groundTruthCounts[AreaRange.all.rawValue],
      averagePrecision: Self.averagePrecision(of: [curves], at: nil, .all),
      averagePrecision50: Self.averagePrecision(of: [curves], at: 0.5, .all),
      averageRecall: curves.recalls(.all).mean)
  }

  /// The precisions of a class at ``COCOParameters/recalls``; `nil` where no thing counts.
  public func precisions(
    of category: Int, iou threshold: Double = 0.5, area: AreaRange = .all
  ) -> [Double]? {
    guard let place = Self.thresholdIndex(of: threshold),
      let curves = curves.first(where: { $0.category == category })?.curves(area), !curves.isEmpty
    else { return nil }
    return curves[place].precisions
  }

  /// The figures of a class.
  public struct CategoryMetrics: Sendable, Hashable {
    /// The class.
    public let category: Int
    /// How many things of it there are.
    public let count: Int
    /// Its average precision over all thresholds.
    public let averagePrecision: Double?
    /// Its average precision at an overlap of a half.
    public let averagePrecision50: Double?
    /// Its average recall over all thresholds.
    public let averageRecall: Double?
  }
}

extension DetectionReport {
  private static func averagePrecision(
    of curves: [CategoryCurves], at threshold: Double?, _ size: AreaRange
  ) -> Double? {
    curves.flatMap { category in
      zip(COCOParameters.iouThresholds, category.curves(size))
        .filter { threshold.map($0.0.isNearly) ?? true }
        .flatMap(\.1.precisions)
    }.mean
  }

  private static func thresholdIndex(of threshold: Double) -> Int? {
    COCOParameters.iouThresholds.firstIndex { $0.isNearly(threshold) }
  }

  /// The twelve figures of COCO, by the names that gates use.
  public var values: [MetricValue] {
    [
      .fraction("map", averagePrecision()), .fraction("map50", averagePrecision(iou: 0.5)),
      .fraction("map75", averagePrecision(iou: 0.75)),
      .fraction("map_small", averagePrecision(area: .small)),
      .fraction("map_medium", averagePrecision(area: .medium)),
      .fraction("map_large", averagePrecision(area: .large)),
      .fraction("ar1", averageRecall(maxDetections: 1)), .fraction("ar10", averageRecall(maxDetections: 10)),
      .fraction("ar100", averageRecall()), .fraction("ar_small", averageRecall(area: .small)),
      .fraction("ar_medium", averageRecall(area: .medium)),
      .fraction("ar_large", averageRecall(area: .large)),
    ].compactMap(\.self)
  }
}

extension Double {
  /// Whether two thresholds are the same but for rounding.
  fileprivate func isNearly(_ other: Double) -> Bool { abs(self - other) < 1e-9 }
}

/// The curves of a class, for every size and threshold.
struct CategoryCurves: Sendable, Hashable {
  /// Precisions at ``COCOParameters/recalls``, and the recall that all detections reach.
  struct Curve: Sendable, Hashable {
    let precisions: [Double]
    let recall: Double
  }

  let category: Int
  let groundTruthCounts: [Int]
  /// By size and threshold; none for a size that no thing has.
  private let curves: [[Curve]]
  /// By the number of detections that count in a picture, for all sizes, by threshold.
  private let recallsByMaxDetections: [Int: [Double]]

  init(category: Int, accumulator tally: CategoryAccumulator) {
    self.category = category
    groundTruthCounts = tally.groundTruthCounts
    let order = tally.records.indices.sortedByScore { tally.records[$0].score }
    let records = order.map { tally.records[$0] }
    curves = AreaRange.allCases.map { size in
      let count = tally.groundTruthCounts[size.rawValue]
      return count == 0 ? [] : size.criteria.map { records.curve($0, of: count) }
    }
    let count = tally.groundTruthCounts[AreaRange.all.rawValue]
    recallsByMaxDetections = [1, 10].reduce(into: [:]) { recalls, limit in
      let records = records.filter { $0.rank < limit }
      recalls[limit] = AreaRange.all.criteria.map { records.recall($0, of: count) }
    }
  }

  /// The curves of a size by threshold; none where no thing has it.
  func curves(_ size: AreaRange) -> [Curve] { curves[size.rawValue] }

  /// The recalls of a size by threshold when so many detections count in a picture.
  func recalls(_ size: AreaRange, maxDetections: Int = COCOParameters.maxDetections) -> [Double] {
    maxDetections == COCOParameters.maxDetections ? curves(size).map(\.recall) : recallsByMaxDetections[maxDetections] ?? []
  }
}

extension DetectionRecord {
  fileprivate func counts(_ bit: UInt64) -> Bool { ignored & bit == 0 }
  fileprivate func isMatched(_ bit: UInt64) -> Bool { matched & bit != 0 }
}

extension [DetectionRecord] {
  /// The share of the things that is found.
  fileprivate func recall(_ question: MatchCriterion, of truths: Int) -> Double {
    let bit = question.bit
    return ratio(count { $0.counts(bit) && $0.isMatched(bit) }, of: truths) ?? 0
  }

  /// The curve through all detections, surest first.
  fileprivate func curve(
    _ question: MatchCriterion, of truths: Int
  ) -> CategoryCurves.Curve {
    var precisions = precisions(question.bit)
    precisions.makeMonotonicallyDecreasing()
    return CategoryCurves.Curve(
      precisions: precisions.interpolatedAtRecallThresholds(groundTruthCount: truths), recall: ratio(precisions.count, of: truths) ?? 0)
  }

  /// The precision whenever one more thing is found; what is wrong in between only lowers it.
  private func precisions(_ bit: UInt64) -> [Double] {
    var counted = 0.0
    var precisions: [Double] = []
    for record in self where record.counts(bit) {
      counted += 1
      guard record.isMatched(bit) else { continue }
      // With the reference's guard against a count of 0, for the sake of the last digit.
      precisions.append(Double(precisions.count + 1) / (counted + .ulpOfOne))
    }
    return precisions
  }
}

extension [Double] {
  /// Lifts each to the highest that follows it.
  fileprivate mutating func makeMonotonicallyDecreasing() {
    for index in indices.dropLast().reversed() {
      self[index] = Swift.max(self[index], self[index + 1])
    }
  }

  /// The precisions where each recall of the scheme is first reached; 0 where it never is.
  fileprivate func interpolatedAtRecallThresholds(groundTruthCount truths: Int) -> [Double] {
    var place = 0
    return COCOParameters.recallThresholds.map { wanted in
      while place < count, Double(place + 1) / Double(truths) < wanted { place += 1 }
      return place < count ? self[place] : 0
    }
  }
}
