/// The expected calibration error over items.
struct CalibrationItems: ItemMetric {
  /// The difference of what is correct, 1 or 0, and the confidence of each item.
  private let gaps: [Double]
  /// The bin of each item.
  private let bins: [Int32]
  private let binCount: Int
  private let groups: ItemGroups
  /// The differences in the order of the bins.
  private let groupedGaps: [Double]

  init(confidences: [Double], areCorrect: [Bool], calibration: Calibration) {
    self.init(
      zip(confidences, areCorrect).map { ($1 ? 1 : 0) - $0 },
      confidences.map { Int32(clamping: calibration.index(of: $0)) }, calibration.bins.count)
  }

  private init(_ gaps: [Double], _ bins: [Int32], _ binCount: Int) {
    (self.gaps, self.bins, self.binCount) = (gaps, bins, binCount)
    groups = ItemGroups(bins, count: binCount)
    groupedGaps = groups.ordered(gaps)
  }

  var cost: Int { 2 * gaps.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    // The difference of the sums of accuracy and confidence in a bin is its weighted difference.
    let differences = groups.sums(weights, times: groupedGaps)
    let total = Double(weights.reduce(0) { $0 + Int($1) })
    guard total > 0 else { return [] }
    let error = differences.reduce(0) { $0 + $1.magnitude } / total
    return [.error("ece", error, unit: .fraction)].compactMap(\.self)
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    CalibrationItems(items.map { gaps[$0] }, items.map { bins[$0] }, binCount)
  }
}
