/// The expected calibration error over items.
struct CalibrationItems: ItemMetric {
  /// The difference of what is correct, 1 or 0, and the confidence of each item.
  private let gaps: [Double]
  /// The bin of each item.
  private let bins: [Int32]
  private let binCount: Int

  init(confidences: [Double], areCorrect: [Bool], calibration: Calibration) {
    self.init(
      zip(confidences, areCorrect).map { ($1 ? 1 : 0) - $0 },
      confidences.map { Int32(clamping: calibration.index(of: $0)) }, calibration.bins.count)
  }

  private init(_ gaps: [Double], _ bins: [Int32], _ binCount: Int) {
    (self.gaps, self.bins, self.binCount) = (gaps, bins, binCount)
  }

  var cost: Int { 2 * gaps.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    // The difference of the sums of accuracy and confidence in a bin is its weighted difference.
    var differences = [Double](repeating: 0, count: binCount)
    var total = 0.0
    for index in weights.indices {
      let weight = Double(weights[index])
      differences[Int(bins[index])] += weight * gaps[index]
      total += weight
    }
    guard total > 0 else { return [] }
    let error = differences.reduce(0) { $0 + $1.magnitude } / total
    return [.error("ece", error, unit: .fraction)].compactMap(\.self)
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    CalibrationItems(items.map { gaps[$0] }, items.map { bins[$0] }, binCount)
  }
}
