/// The pixels of one mask, or of several.
struct MaskItem: MergeableMetric {
  private var cells: [ConfusionMatrix.Cell: Int] = [:]
  private var boundaries = BoundaryMetric()
  private var outlines: [BoundaryMetric.Counts] = []

  /// Creates the metrics without pixels.
  init() {}

  /// Creates the metrics of one mask from the number of pixels of each pair of classes.
  init(
    _ cells: [(actual: Int, predicted: Int, count: Int)], outlines: [BoundaryMetric.Counts]
  ) {
    for (actual, predicted, count) in cells {
      self.cells[.init(actual: actual, predicted: predicted), default: 0] += count
    }
    self.outlines = outlines
  }

  mutating func add(_ other: MaskItem, times count: Int) {
    for (cell, pixels) in other.cells { cells[cell, default: 0] += count * pixels }
    for _ in 0..<count { other.outlines.forEach { boundaries.add($0) } }
  }

  var values: [MetricValue] {
    // The matrix has the classes that occur, since one of all possible ones takes long to fill.
    let classes = Set(cells.keys.flatMap { [$0.actual, $0.predicted] }).sorted()
    guard !classes.isEmpty else { return [] }
    let positions = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    var metric = SegmentationMetric(classCount: classes.count)
    for (cell, count) in cells {
      guard let actual = positions[cell.actual], let predicted = positions[cell.predicted] else {
        continue
      }
      try? metric.add(count, predicted: predicted, groundTruth: actual)
    }
    return metric.values + boundaries.values
  }
}
