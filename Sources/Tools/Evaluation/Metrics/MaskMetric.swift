/// The COCO metrics of instance masks: mean average precision over IoU thresholds 0.50 to 0.95 of the
/// pixels of objects.
package struct MaskMetric: Metric, MergeableMetric {
  /// A predicted object.
  package struct Prediction: Sendable {
    /// The class.
    package var category: Int
    /// The pixels.
    package var mask: RegionMask
    /// The score.
    package var score: Double

    /// Creates a predicted object.
    package init(category: Int, mask: RegionMask, score: Double) {
      (self.category, self.mask, self.score) = (category, mask, score)
    }
  }

  /// An annotated object.
  package struct GroundTruth: Sendable {
    /// The class.
    package var category: Int
    /// The pixels.
    package var mask: RegionMask
    /// The area, which determines the area range.
    package var area: Double
    /// Whether the mask covers a crowd; predictions inside it are ignored.
    package var isCrowd: Bool

    /// Creates an object; `area` defaults to the number of pixels.
    package init(category: Int, mask: RegionMask, area: Double? = nil, isCrowd: Bool = false) {
      (self.category, self.mask, self.isCrowd) = (category, mask, isCrowd)
      self.area = area ?? Double(mask.area)
    }

    /// Returns the intersection over union, or, for a crowd, the fraction of the other mask inside it.
    func overlap(_ other: RegionMask) -> Double {
      let shared = mask.intersectionArea(other)
      return ratio(shared, of: isCrowd ? other.area : mask.area + other.area - shared) ?? 0
    }
  }

  /// A predicted or annotated object whose overlaps with others are known.
  struct Object: Sendable {
    let category: Int
    /// The score of a prediction.
    var score = 0.0
    let area: Double
    var isCrowd = false
  }

  private var categories: [Int: CategoryAccumulator] = [:]

  /// Creates a metric without images.
  package init() {}

  /// Adds the predicted and the annotated objects of an image.
  package mutating func add(_ predictions: [Prediction], groundTruth: [GroundTruth]) {
    let predictions = Dictionary(grouping: predictions, by: \.category)
    let groundTruth = Dictionary(grouping: groundTruth, by: \.category)
    for category in Set(predictions.keys).union(groundTruth.keys) {
      let (found, targets) = (predictions[category] ?? [], groundTruth[category] ?? [])
      categories[category, default: CategoryAccumulator()].add(
        found.map { ScoredArea(score: $0.score, area: Double($0.mask.area)) },
        targets.map { MatchTarget(area: $0.area, isCrowd: $0.isCrowd, isIgnored: $0.isCrowd) }
      ) { targets[$1].overlap(found[$0].mask) }
    }
  }

  /// Adds the objects of an image with their overlaps.
  mutating func add(
    _ predictions: [Object], groundTruth: [Object], overlap: (Int, Int) -> Double
  ) {
    let found = Dictionary(grouping: predictions.indices) { predictions[$0].category }
    let targets = Dictionary(grouping: groundTruth.indices) { groundTruth[$0].category }
    for category in Set(found.keys).union(targets.keys) {
      let (found, targets) = (found[category] ?? [], targets[category] ?? [])
      categories[category, default: CategoryAccumulator()].add(
        found.map { ScoredArea(score: predictions[$0].score, area: predictions[$0].area) },
        targets.map { index in
          let object = groundTruth[index]
          return MatchTarget(
            area: object.area, isCrowd: object.isCrowd, isIgnored: object.isCrowd)
        }
      ) { overlap(found[$0], targets[$1]) }
    }
  }

  /// Returns precision and recall of a class at each score, at an overlap of 0.5; of all classes for `nil`.
  func sweep(of category: Int?) -> ThresholdSweep { categories.sweep(of: category) }

  /// The number of objects that were found.
  var recordCount: Int { categories.recordCount }

  mutating func add(_ other: MaskMetric, times count: Int) {
    categories.add(other.categories, times: count)
  }

  /// The report on all images so far, computed on every access.
  package var report: DetectionReport {
    DetectionReport(
      categories.sorted { $0.key < $1.key }
        .filter { $0.value.groundTruthCounts[AreaRange.all.rawValue] > 0 }
        .map { CategoryCurves(category: $0.key, accumulator: $0.value) })
  }

  /// The metrics of ``DetectionMetric``.
  package var values: [MetricValue] { report.values }
}
