/// The curves of a class, for every size and threshold.
struct CategoryCurves: Sendable, Hashable {
  /// Precisions at ``DetectionScheme/recalls``, and the recall that all detections reach.
  struct Curve: Sendable, Hashable {
    let precisions: [Double]
    let recall: Double
  }

  let category: Int
  let truths: [Int]
  /// By size and threshold; none for a size that no thing has.
  private let curves: [[Curve]]
  /// By the number of detections that count in a picture, for all sizes, by threshold.
  private let limitedRecalls: [Int: [Double]]

  init(category: Int, _ tally: CategoryTally) {
    self.category = category
    truths = tally.truths
    let order = tally.records.indices.sortedByScore { tally.records[$0].score }
    let records = order.map { tally.records[$0] }
    curves = BoxSize.allCases.map { size in
      let count = tally.truths[size.rawValue]
      return count == 0 ? [] : size.questions.map { records.curve($0, of: count) }
    }
    let count = tally.truths[BoxSize.all.rawValue]
    limitedRecalls = [1, 10].reduce(into: [:]) { recalls, limit in
      let records = records.filter { $0.rank < limit }
      recalls[limit] = BoxSize.all.questions.map { records.recall($0, of: count) }
    }
  }

  /// The curves of a size by threshold; none where no thing has it.
  func curves(_ size: BoxSize) -> [Curve] { curves[size.rawValue] }

  /// The recalls of a size by threshold when so many detections count in a picture.
  func recalls(_ size: BoxSize, limit: Int = DetectionScheme.limit) -> [Double] {
    limit == DetectionScheme.limit ? curves(size).map(\.recall) : limitedRecalls[limit] ?? []
  }
}

extension DetectionRecord {
  fileprivate func counts(_ bit: UInt64) -> Bool { ignored & bit == 0 }
  fileprivate func isMatched(_ bit: UInt64) -> Bool { matched & bit != 0 }
}

extension [DetectionRecord] {
  /// The share of the things that is found.
  fileprivate func recall(_ question: DetectionQuestion, of truths: Int) -> Double {
    let bit = question.bit
    return share(count { $0.counts(bit) && $0.isMatched(bit) }, of: truths) ?? 0
  }

  /// The curve through all detections, surest first.
  fileprivate func curve(
    _ question: DetectionQuestion, of truths: Int
  ) -> CategoryCurves.Curve {
    var precisions = precisions(question.bit)
    precisions.neverRise()
    return CategoryCurves.Curve(
      precisions: precisions.read(of: truths), recall: share(precisions.count, of: truths) ?? 0)
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
  fileprivate mutating func neverRise() {
    for index in indices.dropLast().reversed() {
      self[index] = Swift.max(self[index], self[index + 1])
    }
  }

  /// The precisions where each recall of the scheme is first reached; 0 where it never is.
  fileprivate func read(of truths: Int) -> [Double] {
    var place = 0
    return DetectionScheme.recalls.map { wanted in
      while place < count, Double(place + 1) / Double(truths) < wanted { place += 1 }
      return place < count ? self[place] : 0
    }
  }
}
