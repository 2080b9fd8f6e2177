import TensorIOTasks

/// What became of one detection, for every size and threshold a bit.
struct DetectionRecord {
  let score: Double
  /// How many of its class were surer in its picture.
  let rank: Int
  /// Where it is one of the things.
  private(set) var matched: UInt64 = 0
  /// Where it counts neither as right nor as wrong.
  private(set) var ignored: UInt64

  /// A detection that is none of the things yet.
  init(score: Double, rank: Int, ignored: UInt64) {
    (self.score, self.rank, self.ignored) = (score, rank, ignored)
  }

  /// It is one of the things, and counts when the thing does, whatever its own size.
  mutating func match(_ question: MatchCriterion, counts: Bool) {
    matched |= question.bit
    if counts { ignored &= ~question.bit } else { ignored |= question.bit }
  }
}

/// Finds out which of a picture's detections of one class are which of its things.
///
/// The surest detection chooses first. It takes the thing with the largest overlap, of equal ones the
/// last, that nobody has taken; a crowd can be taken again. Things of another size and crowds are
/// taken only when there is nothing else, and do not count.
struct DetectionMatcher {
  private struct Candidate {
    let groundTruthIndex: Int
    let overlap: Double
  }

  private let groundTruths: [GroundTruthBox]
  /// The things that overlap enough for the lowest threshold, for every detection.
  private let candidates: [[Candidate]]
  /// The detections that overlap with anything.
  private let overlappingPredictions: [Int]
  private(set) var records: [DetectionRecord]

  init(predictions: [PredictedBox], groundTruths: [GroundTruthBox]) {
    let surest = predictions.highestScoring(COCOParameters.maxDetections)
    self.groundTruths = groundTruths
    let candidates = surest.map { found in
      groundTruths.indices
        .map { Candidate(groundTruthIndex: $0, overlap: found.matchingOverlap(with: groundTruths[$0])) }
        .filter { $0.overlap >= COCOParameters.iouThresholds[0] }
    }
    self.candidates = candidates
    overlappingPredictions = candidates.indices.filter { !candidates[$0].isEmpty }
    records = surest.enumerated().map { rank, found in
      DetectionRecord(score: found.score, rank: rank, ignored: found.box.area.bitsOutsideAreaRanges)
    }
    if !overlappingPredictions.isEmpty { AreaRange.allCases.forEach { match($0) } }
  }

  private mutating func match(_ size: AreaRange) {
    let ignored = groundTruths.map { $0.isCrowd || !size.contains($0.area) }
    for question in size.criteria { match(question, ignored) }
  }

  private mutating func match(_ question: MatchCriterion, _ ignored: [Bool]) {
    // What is the same but for rounding passes even a threshold of 1.
    let threshold = min(COCOParameters.iouThresholds[question.thresholdIndex], 1 - 1e-10)
    var isTaken = groundTruths.map { _ in false }
    for index in overlappingPredictions {
      let free = candidates[index].filter { !isTaken[$0.groundTruthIndex] || groundTruths[$0.groundTruthIndex].isCrowd }
      let truth =
        Self.best(of: free.filter { !ignored[$0.groundTruthIndex] }, from: threshold)
        ?? Self.best(of: free.filter { ignored[$0.groundTruthIndex] }, from: threshold)
      guard let truth else { continue }
      isTaken[truth] = true
      records[index].match(question, counts: !ignored[truth])
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
  /// For a detection's area, the sizes that it does not belong to.
  fileprivate var bitsOutsideAreaRanges: UInt64 {
    AreaRange.allCases.reduce(0) { $1.contains(self) ? $0 : $0 | $1.bits }
  }
}

extension [PredictedBox] {
  /// The first by falling score; equal scores stay in order, what is not a number comes last.
  fileprivate func highestScoring(_ count: Int) -> [PredictedBox] {
    indices.sortedByScore { self[$0].score }.prefix(count).map { self[$0] }
  }
}

extension Range<Int> {
  /// The places by falling score; equal scores stay in order, what is not a number comes last.
  func sortedByScore(_ score: (Int) -> Double) -> [Int] {
    sorted { left, right in
      let (a, b) = (score(left), score(right))
      if a.isNaN != b.isNaN { return b.isNaN }
      return a == b || a.isNaN ? left < right : a > b
    }
  }
}
