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
  /// A threshold is one of ``DetectionScheme/thresholds``; all of them are used unless one is named.
  public func averagePrecision(
    at threshold: Double? = nil, size: BoxSize = .all
  ) -> Double? {
    Self.averagePrecision(of: curves, at: threshold, size)
  }

  /// The mean of the recalls of all classes over all thresholds.
  ///
  /// The limit is how many detections of a class count in a picture: 1, 10 or 100, and of a
  /// single size always 100. Others are not known.
  public func averageRecall(
    limit: Int = DetectionScheme.limit, size: BoxSize = .all
  ) -> Double? {
    curves.flatMap { $0.recalls(size, limit: size == .all ? limit : DetectionScheme.limit) }.mean
  }

  /// The figures of a class; `nil` for one that has no things.
  public func category(_ category: Int) -> CategoryFigures? {
    guard let curves = curves.first(where: { $0.category == category }) else { return nil }
    return CategoryFigures(
      category: category, count: curves.truths[BoxSize.all.rawValue],
      averagePrecision: Self.averagePrecision(of: [curves], at: nil, .all),
      averagePrecision50: Self.averagePrecision(of: [curves], at: 0.5, .all),
      averageRecall: curves.recalls(.all).mean)
  }

  /// The precisions of a class at ``DetectionScheme/recalls``; `nil` where no thing counts.
  public func precisions(
    of category: Int, at threshold: Double = 0.5, size: BoxSize = .all
  ) -> [Double]? {
    guard let place = Self.place(of: threshold),
      let curves = curves.first(where: { $0.category == category })?.curves(size), !curves.isEmpty
    else { return nil }
    return curves[place].precisions
  }

  /// The figures of a class.
  public struct CategoryFigures: Sendable, Hashable {
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
    of curves: [CategoryCurves], at threshold: Double?, _ size: BoxSize
  ) -> Double? {
    curves.flatMap { category in
      zip(DetectionScheme.thresholds, category.curves(size))
        .filter { threshold.map($0.0.isNearly) ?? true }
        .flatMap(\.1.precisions)
    }.mean
  }

  private static func place(of threshold: Double) -> Int? {
    DetectionScheme.thresholds.firstIndex { $0.isNearly(threshold) }
  }

  /// The twelve figures of COCO, by the names that gates use.
  public var figures: [Figure] {
    [
      .share("map", averagePrecision()), .share("map50", averagePrecision(at: 0.5)),
      .share("map75", averagePrecision(at: 0.75)),
      .share("map_small", averagePrecision(size: .small)),
      .share("map_medium", averagePrecision(size: .medium)),
      .share("map_large", averagePrecision(size: .large)),
      .share("ar1", averageRecall(limit: 1)), .share("ar10", averageRecall(limit: 10)),
      .share("ar100", averageRecall()), .share("ar_small", averageRecall(size: .small)),
      .share("ar_medium", averageRecall(size: .medium)),
      .share("ar_large", averageRecall(size: .large)),
    ].compactMap(\.self)
  }
}

extension Double {
  /// Whether two thresholds are the same but for rounding.
  fileprivate func isNearly(_ other: Double) -> Bool { abs(self - other) < 1e-9 }
}
