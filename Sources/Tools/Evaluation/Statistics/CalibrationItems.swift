/// The expected calibration error over items.
struct CalibrationItems: ItemMetric {
  private let confidences: [Double]
  private let areCorrect: [Bool]
  /// The bin of each item.
  private let bins: [Int32]
  private let binCount: Int

  init(confidences: [Double], areCorrect: [Bool], calibration: Calibration) {
    let edges = calibration.bins
    self.init(
      confidences, areCorrect, confidences.map { Int32(clamping: calibration.index(of: $0)) },
      edges.count)
  }

  private init(_ confidences: [Double], _ areCorrect: [Bool], _ bins: [Int32], _ binCount: Int) {
    (self.confidences, self.areCorrect) = (confidences, areCorrect)
    (self.bins, self.binCount) = (bins, binCount)
  }

  var cost: Int { 2 * confidences.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    // The difference of the sums of accuracy and confidence in a bin is its weighted difference.
    var differences = [Double](repeating: 0, count: binCount)
    var total = 0.0
    for (index, weight) in weights.enumerated() where weight > 0 {
      let weight = Double(weight)
      differences[Int(bins[index])] += weight * ((areCorrect[index] ? 1 : 0) - confidences[index])
      total += weight
    }
    guard total > 0 else { return [] }
    let error = differences.reduce(0) { $0 + $1.magnitude } / total
    return [.error("ece", error, unit: .fraction)].compactMap(\.self)
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    CalibrationItems(
      items.map { confidences[$0] }, items.map { areCorrect[$0] }, items.map { bins[$0] }, binCount)
  }
}
