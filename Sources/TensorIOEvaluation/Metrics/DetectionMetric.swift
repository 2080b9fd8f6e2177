public import TensorIOTasks

/// Judges boxes the way COCO does: mean average precision over overlaps from 0.50 to 0.95.
///
/// It keeps 32 bytes for each detection and nothing of the pictures. Where detections of several
/// pictures have the same score, those of the picture that was added first rank first.
///
///     var metric = DetectionMetric()
///     metric.add(detections.map(ParsedBox.init), truth: things)
///     metric.figures  // map, map50, map75, map_small, …, ar100, …
public struct DetectionMetric: Metric {
  private var categories: [Int: CategoryAccumulator] = [:]
  /// How many pictures there were.
  public private(set) var count = 0

  /// A judge without pictures.
  public init() {}

  /// Takes a picture into account: what was found in it, and what is in it.
  public mutating func add(_ found: [PredictedBox], groundTruth: [GroundTruthBox]) {
    count += 1
    let found = Dictionary(grouping: found, by: \.category)
    let truth = Dictionary(grouping: groundTruth, by: \.category)
    for category in Set(found.keys).union(truth.keys) {
      categories[category, default: CategoryAccumulator()].add(found[category] ?? [], truth[category] ?? [])
    }
  }

  /// What there is to say of all pictures so far; computed anew with every call.
  public var report: DetectionReport {
    DetectionReport(
      categories.sorted { $0.key < $1.key }.filter { $0.value.groundTruthCounts[AreaRange.all.rawValue] > 0 }
        .map { CategoryCurves(category: $0.key, accumulator: $0.value) })
  }

  /// `map`, `map50`, `map75`, those by size, and the recalls `ar1`, `ar10`, `ar100` and by size.
  public var values: [MetricValue] { report.values }
}

/// What is known of a class: all detections, and how many things of each size there are.
struct CategoryAccumulator {
  private(set) var records: [DetectionRecord] = []
  private(set) var groundTruthCounts = AreaRange.allCases.map { _ in 0 }

  mutating func add(_ found: [PredictedBox], _ truth: [GroundTruthBox]) {
    for size in AreaRange.allCases {
      groundTruthCounts[size.rawValue] += truth.count { !$0.isCrowd && size.contains($0.area) }
    }
    records += DetectionMatcher(predictions: found, groundTruths: truth).records
  }
}

/// A thing that is in a picture.
public struct GroundTruthBox: Sendable, Hashable {
  /// What it is.
  public var category: Int
  /// Where it is.
  public var box: BoundingBox
  /// How many pixels it covers, of its outline where that is known; decides its size class.
  public var area: Double
  /// Whether it stands for a crowd: what is found in it counts neither as right nor as wrong.
  public var isCrowd: Bool

  /// A thing in a picture; it covers its box unless told otherwise.
  public init(category: Int, box: BoundingBox, area: Double? = nil, isCrowd: Bool = false) {
    self.category = category
    self.box = box
    self.area = area ?? box.area
    self.isCrowd = isCrowd
  }
}

/// A thing that a model has found in a picture.
public struct PredictedBox: Sendable, Hashable {
  /// What it is.
  public var category: Int
  /// Where it is.
  public var box: BoundingBox
  /// How sure the model is.
  public var score: Double

  /// A thing that was found.
  public init(category: Int, box: BoundingBox, score: Double) {
    self.category = category
    self.box = box
    self.score = score
  }

  /// What a detecting model has found.
  public init(_ detection: Detection) {
    self.init(category: detection.index, box: detection.box, score: Double(detection.score))
  }
}

extension PredictedBox {
  /// What it has in common with a thing, of both together, and of itself alone in a crowd.
  func matchingOverlap(with truth: GroundTruthBox) -> Double {
    guard truth.isCrowd else { return box.intersectionOverUnion(truth.box) }
    return box.area > 0 ? box.intersection(truth.box).area / box.area : 0
  }
}

/// The sizes of things that COCO tells apart, by the pixels that they cover.
public enum AreaRange: Int, Sendable, Hashable, CaseIterable {
  /// Everything.
  case all
  /// Up to 32 × 32 pixels.
  case small
  /// From 32 × 32 to 96 × 96 pixels.
  case medium
  /// From 96 × 96 pixels.
  case large

  /// Both ends belong to it, so what is exactly on an edge belongs to two sizes.
  func contains(_ area: Double) -> Bool {
    switch self {
    case .all: area >= 0 && area <= 1e10
    case .small: area >= 0 && area <= 1024
    case .medium: area >= 1024 && area <= 9216
    case .large: area >= 9216 && area <= 1e10
    }
  }
}

/// What COCO measures with.
public enum COCOParameters {
  /// How much boxes must have in common to be of the same thing: 0.50, 0.55, … 0.95.
  public static let iouThresholds: [Double] = spaced(from: 0.5, to: 0.95, count: 10)
  /// The recalls at which precision is read: 0, 0.01, … 1.
  public static let recallThresholds: [Double] = spaced(from: 0, to: 1, count: 101)
  /// So many detections of a class count in a picture, the surest ones.
  public static let maxDetections = 100

  /// Rounded as numpy's `linspace` is, since precision is read at the first recall not below these.
  private static func spaced(from start: Double, to end: Double, count: Int) -> [Double] {
    let step = (end - start) / Double(count - 1)
    return (0..<count - 1).map { Double($0) * step + start } + [end]
  }
}

/// A question that every detection has an answer to: a size and a threshold.
struct MatchCriterion {
  let areaRange: AreaRange
  let thresholdIndex: Int

  /// The answer's bit.
  var bit: UInt64 { 1 << UInt64(areaRange.rawValue * COCOParameters.iouThresholds.count + thresholdIndex) }
}

extension AreaRange {
  /// The bits of the answers to all questions about things of this size.
  var bits: UInt64 {
    let count = COCOParameters.iouThresholds.count
    return ((1 << UInt64(count)) - 1) << UInt64(rawValue * count)
  }

  /// The questions about things of this size, one for each threshold.
  var criteria: [MatchCriterion] {
    COCOParameters.iouThresholds.indices.map { MatchCriterion(areaRange: self, thresholdIndex: $0) }
  }
}
