import TensorIOTasks

/// The match status of one detection, with one bit per area range and IoU threshold.
struct DetectionRecord {
  let score: Double
  /// The number of detections of the same class in the same image with a higher score.
  let rank: Int
  /// The bits of the criteria under which the detection matches a ground-truth box.
  private(set) var matched: UInt64 = 0
  /// The bits of the criteria under which the detection is ignored.
  private(set) var ignored: UInt64

  /// Creates an unmatched detection.
  init(score: Double, rank: Int, ignored: UInt64) {
    (self.score, self.rank, self.ignored) = (score, rank, ignored)
  }

  /// Marks the detection as matched; it counts if the ground-truth box counts, whatever its own
  /// area.
  mutating func match(_ criterion: MatchCriterion, counts: Bool) {
    matched |= criterion.bit
    if counts { ignored &= ~criterion.bit } else { ignored |= criterion.bit }
  }
}

/// The score and the area of a prediction.
struct ScoredArea: Sendable {
  let score: Double
  let area: Double
}

/// The properties of a ground truth that decide how it is matched.
struct MatchTarget: Sendable {
  let area: Double
  /// Whether it can be matched repeatedly.
  let isCrowd: Bool
  /// Whether it does not count.
  let isIgnored: Bool
}

/// Matches the detections of one class in an image to its ground-truth boxes, as COCO does.
///
/// Detections are matched in descending order of score, each to the unmatched ground-truth box with
/// the largest overlap, the last one in a tie. Crowds can be matched repeatedly. Crowds and boxes
/// outside the area range are matched only if no other box is available, and do not count.
struct DetectionMatcher {
  private struct Candidate {
    let groundTruthIndex: Int
    let overlap: Double
  }

  private let groundTruths: [MatchTarget]
  /// For every detection, the boxes that overlap it by at least the lowest threshold.
  private let candidates: [[Candidate]]
  /// The indices of detections with candidates.
  private let overlappingPredictions: [Int]
  private(set) var records: [DetectionRecord]

  init(predictions: [PredictedBox], groundTruths: [GroundTruthBox]) {
    self.init(
      predictions.map { ScoredArea(score: $0.score, area: $0.box.area) },
      groundTruths.map {
        MatchTarget(area: $0.area, isCrowd: $0.isCrowd, isIgnored: $0.isCrowd)
      }
    ) { predictions[$0].matchingOverlap(with: groundTruths[$1]) }
  }

  /// Matches predictions of any kind.
  ///
  /// - Parameters:
  ///   - predictions: The predictions, in any order.
  ///   - groundTruths: The ground truth.
  ///   - maxCount: The maximum number of predictions that count.
  ///   - overlap: Returns the similarity of a prediction and a ground truth, from 0 to 1.
  init(
    _ predictions: [ScoredArea], _ groundTruths: [MatchTarget],
    maxCount: Int = COCOParameters.maxDetections, overlap: (Int, Int) -> Double
  ) {
    let order = predictions.indices.sortedByScore { predictions[$0].score }.prefix(maxCount)
    let detections = order.map { predictions[$0] }
    self.groundTruths = groundTruths
    let candidates = order.map { detection in
      groundTruths.indices
        .map { index in
          Candidate(groundTruthIndex: index, overlap: overlap(detection, index))
        }
        .filter { $0.overlap >= COCOParameters.iouThresholds[0] }
    }
    self.candidates = candidates
    overlappingPredictions = candidates.indices.filter { !candidates[$0].isEmpty }
    records = detections.enumerated().map { rank, detection in
      DetectionRecord(
        score: detection.score, rank: rank, ignored: detection.area.bitsOutsideAreaRanges)
    }
    if !overlappingPredictions.isEmpty { AreaRange.allCases.forEach { match($0) } }
  }

  private mutating func match(_ areaRange: AreaRange) {
    let ignored = groundTruths.map { $0.isIgnored || !areaRange.contains($0.area) }
    for criterion in areaRange.criteria { match(criterion, ignored) }
  }

  private mutating func match(_ criterion: MatchCriterion, _ ignored: [Bool]) {
    // Boxes that are equal except for rounding pass even a threshold of 1.
    let threshold = min(COCOParameters.iouThresholds[criterion.thresholdIndex], 1 - 1e-10)
    var isMatched = groundTruths.map { _ in false }
    for index in overlappingPredictions {
      let available = candidates[index].filter {
        !isMatched[$0.groundTruthIndex] || groundTruths[$0.groundTruthIndex].isCrowd
      }
      let best =
        Self.best(of: available.filter { !ignored[$0.groundTruthIndex] }, from: threshold)
        ?? Self.best(of: available.filter { ignored[$0.groundTruthIndex] }, from: threshold)
      guard let best else { continue }
      isMatched[best] = true
      records[index].match(criterion, counts: !ignored[best])
    }
  }

  private static func best(
    of candidates: [Candidate], from threshold: Double
  ) -> Int? {
    var best: Candidate?
    for candidate in candidates where candidate.overlap >= best?.overlap ?? threshold {
      best = candidate
    }
    return best?.groundTruthIndex
  }
}

extension Double {
  /// The bits of the area ranges that do not contain this area.
  fileprivate var bitsOutsideAreaRanges: UInt64 {
    AreaRange.allCases.reduce(0) { $1.contains(self) ? $0 : $0 | $1.bits }
  }
}

extension Range<Int> {
  /// Returns the indices sorted by descending score; stable, with NaN last.
  func sortedByScore(_ score: (Int) -> Double) -> [Int] {
    sorted { left, right in
      let (a, b) = (score(left), score(right))
      if a.isNaN != b.isNaN { return b.isNaN }
      return a == b || a.isNaN ? left < right : a > b
    }
  }
}
