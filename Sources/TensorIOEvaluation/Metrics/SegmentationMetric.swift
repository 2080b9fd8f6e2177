public import TensorIOBundle

/// Judges masks by the pixels that have the right class.
///
/// It needs the memory of a table of classes × classes, however many masks there are.
///
///     var metric = SegmentationMetric(classes: 21, ignoring: 255)
///     try metric.add(mask, truth: trueMask)
///     metric.figures  // miou, pixel_accuracy, mean_accuracy
public struct SegmentationMetric: Metric {
  /// How many classes there are.
  public let classCount: Int
  /// The label of pixels whose true class nobody knows; they do not count.
  public let ignoredClass: Int?
  /// How many pixels of each true class (rows) were given which class, row by row.
  public private(set) var confusion: [Int]

  /// A judge without masks.
  public init(classCount: Int, ignoring ignored: Int? = nil) {
    precondition(classCount > 0, "a mask has a class at least")
    self.classCount = classCount
    self.ignoredClass = ignored
    confusion = [Int](repeating: 0, count: classCount * classCount)
  }

  /// Takes a mask into account, the class of every pixel; one that does not fit leaves no trace.
  public mutating func add(_ found: [UInt8], groundTruth: [UInt8]) throws(ModelError) {
    try count(found, groundTruth)
  }

  /// Takes a mask into account, the class of every pixel; one that does not fit leaves no trace.
  public mutating func add(_ found: [Int], groundTruth: [Int]) throws(ModelError) {
    try count(found, groundTruth)
  }

  // Generic within the module alone, where the compiler makes a fast loop of each.
  private mutating func count<Label: BinaryInteger>(
    _ found: [Label], _ truth: [Label]
  ) throws(ModelError) {
    guard found.count == truth.count else {
      throw ModelError(.input, .wrongCount(expected: truth.count, actual: found.count))
    }
    var sum = confusion
    for pixel in truth.indices where Int(clamping: truth[pixel]) != ignoredClass {
      sum[try index(truth[pixel]) * classCount + index(found[pixel])] += 1
    }
    confusion = sum
  }

  /// Takes pixels into account that are counted already.
  public mutating func add(_ count: Int, predicted found: Int, groundTruth: Int) throws(ModelError) {
    guard groundTruth != ignoredClass else { return }
    confusion[try index(groundTruth) * classCount + index(found)] += count
  }

  private func index(_ label: some BinaryInteger) throws(ModelError) -> Int {
    let index = Int(clamping: label)
    guard (0..<classCount).contains(index) else {
      throw ModelError(.input, .labelOutOfRange(value: index, count: classCount))
    }
    return index
  }
}

extension SegmentationMetric {
  private func truePositives(_ label: Int) -> Int { confusion[label * classCount + label] }
  private func actualCount(_ label: Int) -> Int {
    (0..<classCount).reduce(0) { $0 + confusion[label * classCount + $1] }
  }
  private func predictedCount(_ label: Int) -> Int {
    (0..<classCount).reduce(0) { $0 + confusion[$1 * classCount + label] }
  }

  /// What a class's pixels and those that were taken for it have in common, of all of them.
  ///
  /// `nil` for a class that is nowhere, neither in truth nor found.
  public var perClassIoU: [Double?] {
    (0..<classCount).map { ratio(truePositives($0), of: actualCount($0) + predictedCount($0) - truePositives($0)) }
  }

  /// How many pixels of each class there are.
  public var supports: [Int] { (0..<classCount).map(actualCount) }

  /// The share of every class's pixels that was found; `nil` for one that has none.
  public var perClassAccuracy: [Double?] {
    (0..<classCount).map { ratio(truePositives($0), of: actualCount($0)) }
  }

  /// The mean of the classes that are somewhere.
  public var meanIoU: Double? { perClassIoU.compactMap(\.self).mean }

  /// The mean of the classes that have pixels.
  public var meanAccuracy: Double? { perClassAccuracy.compactMap(\.self).mean }

  /// The share of all pixels that has the right class.
  public var pixelAccuracy: Double? {
    ratio((0..<classCount).reduce(0) { $0 + truePositives($1) }, of: confusion.reduce(0, +))
  }

  /// `miou`, `pixel_accuracy` and `mean_accuracy`.
  public var values: [MetricValue] {
    [
      .fraction("miou", meanIoU), .fraction("pixel_accuracy", pixelAccuracy),
      .fraction("mean_accuracy", meanAccuracy),
    ].compactMap(\.self)
  }
}
