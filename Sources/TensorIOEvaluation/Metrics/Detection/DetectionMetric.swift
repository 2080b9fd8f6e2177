/// Judges boxes the way COCO does: mean average precision over overlaps from 0.50 to 0.95.
///
/// It keeps 32 bytes for each detection and nothing of the pictures. Where detections of several
/// pictures have the same score, those of the picture that was added first rank first.
///
///     var metric = DetectionMetric()
///     metric.add(detections.map(FoundBox.init), truth: things)
///     metric.figures  // map, map50, map75, map_small, …, ar100, …
public struct DetectionMetric: Metric {
  private var tallies: [Int: CategoryTally] = [:]
  /// How many pictures there were.
  public private(set) var count = 0

  /// A judge without pictures.
  public init() {}

  /// Takes a picture into account: what was found in it, and what is in it.
  public mutating func add(_ found: [FoundBox], truth: [TrueBox]) {
    count += 1
    let found = Dictionary(grouping: found, by: \.category)
    let truth = Dictionary(grouping: truth, by: \.category)
    for category in Set(found.keys).union(truth.keys) {
      tallies[category, default: CategoryTally()].add(found[category] ?? [], truth[category] ?? [])
    }
  }

  /// What there is to say of all pictures so far; computed anew with every call.
  public var report: DetectionReport {
    DetectionReport(
      tallies.sorted { $0.key < $1.key }.filter { $0.value.truths[BoxSize.all.rawValue] > 0 }
        .map { CategoryCurves(category: $0.key, $0.value) })
  }

  /// `map`, `map50`, `map75`, those by size, and the recalls `ar1`, `ar10`, `ar100` and by size.
  public var figures: [Figure] { report.figures }
}

/// What is known of a class: all detections, and how many things of each size there are.
struct CategoryTally {
  private(set) var records: [DetectionRecord] = []
  private(set) var truths = BoxSize.allCases.map { _ in 0 }

  mutating func add(_ found: [FoundBox], _ truth: [TrueBox]) {
    for size in BoxSize.allCases {
      truths[size.rawValue] += truth.count { !$0.isCrowd && size.contains($0.area) }
    }
    records += PictureMatch(found: found, truths: truth).records
  }
}
