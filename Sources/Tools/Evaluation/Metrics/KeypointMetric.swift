package import TensorIOTasks

/// The COCO keypoint metrics: mean average precision over object keypoint similarities 0.50 to 0.95.
///
/// The 20 poses of an image with the highest scores count. Objects without marked keypoints, and crowds,
/// do not count.
package struct KeypointMetric: Metric, MergeableMetric {
  /// An annotated object.
  package struct GroundTruth: Sendable {
    /// The marked keypoints, the area and the box.
    package var annotation: KeypointAnnotation
    /// Whether the annotation covers a crowd.
    package var isCrowd: Bool

    /// Creates an object.
    package init(_ annotation: KeypointAnnotation, isCrowd: Bool = false) {
      (self.annotation, self.isCrowd) = (annotation, isCrowd)
    }
  }

  /// The maximum number of poses of an image that count.
  package static let maxPoses = 20

  private let names: [String]
  private let sigmas: [Double]
  private var accumulator = CategoryAccumulator()

  /// Creates a metric without images.
  ///
  /// - Parameters:
  ///   - names: The names of all keypoints.
  ///   - sigmas: The standard deviation of each keypoint relative to the size of the object.
  package init(names: [String] = COCOKeypoints.names, sigmas: [Double] = COCOKeypoints.sigmas) {
    (self.names, self.sigmas) = (names, sigmas)
  }

  /// Adds the predicted and the annotated poses of an image.
  package mutating func add(_ poses: [Pose], groundTruth: [GroundTruth]) {
    let (names, sigmas) = (names, sigmas)
    accumulator.add(
      poses.map { ScoredArea(score: Double($0.score), area: $0.extent?.area ?? 0) },
      groundTruth.map {
        MatchTarget(
          area: $0.annotation.area, isCrowd: $0.isCrowd,
          isIgnored: $0.isCrowd || $0.annotation.keypoints.isEmpty)
      }, maxCount: Self.maxPoses
    ) {
      poses[$0].similarity(to: groundTruth[$1].annotation, names: names, sigmas: sigmas)
    }
  }

  /// Adds the poses and objects of an image whose similarities are known.
  mutating func add(
    _ poses: [ScoredArea], _ groundTruth: [MatchTarget], similarity: (Int, Int) -> Double
  ) {
    accumulator.add(poses, groundTruth, maxCount: Self.maxPoses, overlap: similarity)
  }

  /// The number of poses that were found.
  var recordCount: Int { accumulator.records.count }

  mutating func add(_ other: KeypointMetric, times count: Int) {
    accumulator.add(other.accumulator, times: count)
  }

  /// `map`, `map50`, `map75`, `map_medium`, `map_large`, and the recalls `ar`, `ar50`, `ar75`,
  /// `ar_medium` and `ar_large`.
  package var values: [MetricValue] {
    let report = accumulator.report
    return [
      .fraction("map", report.averagePrecision()),
      .fraction("map50", report.averagePrecision(iou: 0.5)),
      .fraction("map75", report.averagePrecision(iou: 0.75)),
      .fraction("map_medium", report.averagePrecision(area: .medium)),
      .fraction("map_large", report.averagePrecision(area: .large)),
      .fraction("ar", report.averageRecall()), .fraction("ar50", report.averageRecall(iou: 0.5)),
      .fraction("ar75", report.averageRecall(iou: 0.75)),
      .fraction("ar_medium", report.averageRecall(area: .medium)),
      .fraction("ar_large", report.averageRecall(area: .large)),
    ].compactMap(\.self)
  }
}

extension CategoryAccumulator {
  /// The report on a single class.
  fileprivate var report: DetectionReport {
    let isEmpty = groundTruthCounts[AreaRange.all.rawValue] == 0
    return DetectionReport(isEmpty ? [] : [CategoryCurves(category: 0, accumulator: self)])
  }
}
