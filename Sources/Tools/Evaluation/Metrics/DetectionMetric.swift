public import TensorIOTasks

/// The COCO detection metrics, such as mean average precision over IoU thresholds 0.50 to 0.95.
///
/// It stores 32 bytes per detection. Detections with equal scores rank in the order in which their
/// images were added.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let model = try Model(at: "detector.tiobundle")
/// let detections = try model.run(ImageBuffer(contentsOf: "street.jpg")).detections
/// let car = BoundingBox(xmin: 40, ymin: 20, xmax: 240, ymax: 180)
/// var metric = DetectionMetric()
/// metric.add(detections.map(PredictedBox.init), groundTruth: [.init(category: 2, box: car)])
/// print(metric.values)  // map, map50, map75, map_small, …, ar100, …
/// ```
public struct DetectionMetric: Metric, MergeableMetric {
  private var categories: [Int: CategoryAccumulator] = [:]
  /// The number of images.
  public private(set) var count = 0

  /// Creates a metric without images.
  public init() {}

  /// Adds the predicted and ground-truth boxes of an image.
  public mutating func add(_ predictions: [PredictedBox], groundTruth: [GroundTruthBox]) {
    count += 1
    let predictions = Dictionary(grouping: predictions, by: \.category)
    let groundTruth = Dictionary(grouping: groundTruth, by: \.category)
    for category in Set(predictions.keys).union(groundTruth.keys) {
      categories[category, default: CategoryAccumulator()]
        .add(predictions[category] ?? [], groundTruth[category] ?? [])
    }
  }

  /// Returns precision and recall of a class at each score, at an intersection over union of 0.5; of all classes for
  /// `nil`.
  func sweep(of category: Int?) -> ThresholdSweep { categories.sweep(of: category) }

  /// The number of detections.
  var recordCount: Int { categories.recordCount }

  mutating func add(_ other: DetectionMetric, times count: Int) {
    self.count += count * other.count
    categories.add(other.categories, times: count)
  }

  /// The report on all images so far, computed on every access.
  public var report: DetectionReport {
    DetectionReport(
      categories.sorted { $0.key < $1.key }
        .filter { $0.value.groundTruthCounts[AreaRange.all.rawValue] > 0 }
        .map { CategoryCurves(category: $0.key, accumulator: $0.value) })
  }

  /// `map`, `map50`, `map75`, `map_small`, `map_medium`, `map_large`, and the recalls `ar1`,
  /// `ar10`, `ar100`, `ar_small`, `ar_medium` and `ar_large`.
  public var values: [MetricValue] { report.values }
}

/// The detections of a class, and its number of ground-truth boxes in each area range.
struct CategoryAccumulator {
  private(set) var records: [DetectionRecord] = []
  private(set) var groundTruthCounts = AreaRange.allCases.map { _ in 0 }

  /// Adds boxes.
  mutating func add(_ predictions: [PredictedBox], _ groundTruth: [GroundTruthBox]) {
    for range in AreaRange.allCases {
      groundTruthCounts[range.rawValue] += groundTruth.count {
        !$0.isCrowd && range.contains($0.area)
      }
    }
    records += DetectionMatcher(predictions: predictions, groundTruths: groundTruth).records
  }

  /// Adds the detections of other images several times.
  mutating func add(_ other: CategoryAccumulator, times count: Int) {
    for _ in 0..<count { records += other.records }
    for (index, number) in other.groundTruthCounts.enumerated() {
      groundTruthCounts[index] += count * number
    }
  }

  /// Adds predictions and ground truth of any kind.
  mutating func add(
    _ predictions: [ScoredArea], _ groundTruth: [MatchTarget],
    maxCount: Int = COCOParameters.maxDetections, overlap: (Int, Int) -> Double
  ) {
    for range in AreaRange.allCases {
      groundTruthCounts[range.rawValue] += groundTruth.count {
        !$0.isIgnored && range.contains($0.area)
      }
    }
    records +=
      DetectionMatcher(predictions, groundTruth, maxCount: maxCount, overlap: overlap)
      .records
  }
}

extension [Int: CategoryAccumulator] {
  /// Returns precision and recall of a class at each score, at an overlap of 0.5; of all classes for `nil`.
  func sweep(of category: Int?) -> ThresholdSweep {
    let bit = MatchCriterion(areaRange: .all, thresholdIndex: 0).bit
    let accumulators = category.map { [self[$0]].compactMap(\.self) } ?? Array(values)
    let predictions = accumulators.flatMap(\.records).filter { $0.ignored & bit == 0 }.map {
      (score: $0.score, isRight: $0.matched & bit != 0)
    }
    let positives = accumulators.reduce(0) { $0 + $1.groundTruthCounts[AreaRange.all.rawValue] }
    return ThresholdSweep(predictions.thresholdSteps, positives: positives)
  }

  /// The number of detections of all classes.
  var recordCount: Int { values.reduce(0) { $0 + $1.records.count } }

  /// Adds the detections of other images by class, several times.
  mutating func add(_ other: Self, times count: Int) {
    for (category, accumulator) in other {
      self[category, default: CategoryAccumulator()].add(accumulator, times: count)
    }
  }
}

/// An annotated object.
public struct GroundTruthBox: Sendable, Hashable {
  /// The class.
  public var category: Int
  /// The box.
  public var box: BoundingBox
  /// The area in pixels, of the object's outline if the dataset has one; it determines the area
  /// range.
  public var area: Double
  /// Whether the box covers a crowd; detections inside it are ignored.
  public var isCrowd: Bool

  /// Creates an object; `area` defaults to the area of the box.
  public init(category: Int, box: BoundingBox, area: Double? = nil, isCrowd: Bool = false) {
    self.category = category
    self.box = box
    self.area = area ?? box.area
    self.isCrowd = isCrowd
  }
}

/// A detected object.
public struct PredictedBox: Sendable, Hashable {
  /// The class.
  public var category: Int
  /// The box.
  public var box: BoundingBox
  /// The score.
  public var score: Double

  /// Creates a detected object.
  public init(category: Int, box: BoundingBox, score: Double) {
    self.category = category
    self.box = box
    self.score = score
  }

  /// Creates a detected object from a task result.
  public init(_ detection: Detection) {
    self.init(category: detection.index, box: detection.box, score: Double(detection.score))
  }
}

extension PredictedBox {
  /// Returns the intersection over union, or, for a crowd, the fraction of this box inside it.
  func matchingOverlap(with groundTruth: GroundTruthBox) -> Double {
    guard groundTruth.isCrowd else { return box.intersectionOverUnion(groundTruth.box) }
    return box.area > 0 ? box.intersection(groundTruth.box).area / box.area : 0
  }
}

/// The COCO ranges of object areas.
public enum AreaRange: Int, Sendable, Hashable, CaseIterable {
  /// All areas.
  case all
  /// Up to 32 × 32 pixels.
  case small
  /// From 32 × 32 to 96 × 96 pixels.
  case medium
  /// At least 96 × 96 pixels.
  case large

  /// Returns whether the range contains an area.
  ///
  /// Bounds are inclusive, so ranges overlap by one value.
  func contains(_ area: Double) -> Bool {
    switch self {
    case .all: area >= 0 && area <= 1e10
    case .small: area >= 0 && area <= 1024
    case .medium: area >= 1024 && area <= 9216
    case .large: area >= 9216 && area <= 1e10
    }
  }
}

/// The parameters of the COCO evaluation.
public enum COCOParameters {
  /// The IoU thresholds: 0.50, 0.55, … 0.95.
  public static let iouThresholds: [Double] = spaced(from: 0.5, to: 0.95, count: 10)
  /// The recalls at which precision is sampled: 0, 0.01, … 1.
  public static let recallThresholds: [Double] = spaced(from: 0, to: 1, count: 101)
  /// The maximum number of detections per class and image; those with the highest scores count.
  public static let maxDetections = 100

  /// Rounds like NumPy's `linspace`, since precision is sampled at the first recall not below
  /// these.
  private static func spaced(from start: Double, to end: Double, count: Int) -> [Double] {
    let step = (end - start) / Double(count - 1)
    return (0..<count - 1).map { Double($0) * step + start } + [end]
  }
}

/// An area range and an IoU threshold.
struct MatchCriterion {
  let areaRange: AreaRange
  let thresholdIndex: Int

  /// The bit that represents the criterion in ``DetectionRecord``.
  var bit: UInt64 {
    1 << UInt64(areaRange.rawValue * COCOParameters.iouThresholds.count + thresholdIndex)
  }
}

extension AreaRange {
  /// The bits of all criteria with this area range.
  var bits: UInt64 {
    let count = COCOParameters.iouThresholds.count
    return ((1 << UInt64(count)) - 1) << UInt64(rawValue * count)
  }

  /// The criteria with this area range, one for each threshold.
  var criteria: [MatchCriterion] {
    COCOParameters.iouThresholds.indices.map { MatchCriterion(areaRange: self, thresholdIndex: $0) }
  }
}
