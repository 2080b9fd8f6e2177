public import TensorIOBundle

/// Pixel metrics of segmentation masks.
///
/// It stores a dense confusion matrix, whatever the number of masks.
///
/// ```swift
/// import TensorIOEvaluation
///
/// var metric = SegmentationMetric(classCount: 21, ignoring: 255)
/// try metric.add([0, 0, 15, 15], groundTruth: [0, 15, 15, 255])
/// print(metric.values)  // miou, pixel_accuracy, mean_accuracy
/// ```
public struct SegmentationMetric: Metric {
  /// The number of classes.
  public let classCount: Int
  /// The ground-truth class of pixels that do not count.
  public let ignoredClass: Int?
  /// The number of pixels per actual class (row) and predicted class (column), in row-major order.
  public private(set) var confusion: [Int]

  /// Creates a metric without masks.
  public init(classCount: Int, ignoring ignored: Int? = nil) {
    precondition(classCount > 0, "classCount must be positive")
    self.classCount = classCount
    self.ignoredClass = ignored
    confusion = [Int](repeating: 0, count: classCount * classCount)
  }

  /// Adds the predicted and correct classes of the pixels of a mask.
  ///
  /// - Throws: `ModelError` if the counts differ or a class is out of range. The metric is then
  ///   unchanged.
  public mutating func add(_ predicted: [UInt8], groundTruth: [UInt8]) throws(ModelError) {
    try count(predicted, groundTruth)
  }

  /// Adds the predicted and correct classes of the pixels of a mask.
  ///
  /// - Throws: `ModelError` if the counts differ or a class is out of range. The metric is then
  ///   unchanged.
  public mutating func add(_ predicted: [Int], groundTruth: [Int]) throws(ModelError) {
    try count(predicted, groundTruth)
  }

  // Generic only within the module, where the compiler specializes it.
  private mutating func count<Label: BinaryInteger>(
    _ predicted: [Label], _ groundTruth: [Label]
  ) throws(ModelError) {
    guard predicted.count == groundTruth.count else {
      throw ModelError(.input, .wrongCount(expected: groundTruth.count, actual: predicted.count))
    }
    var updated = confusion
    for pixel in groundTruth.indices where Int(clamping: groundTruth[pixel]) != ignoredClass {
      updated[try index(groundTruth[pixel]) * classCount + index(predicted[pixel])] += 1
    }
    confusion = updated
  }

  /// Adds a number of pixels with the same predicted and correct class.
  public mutating func add(
    _ count: Int, predicted: Int, groundTruth: Int
  ) throws(ModelError) {
    guard groundTruth != ignoredClass else { return }
    confusion[try index(groundTruth) * classCount + index(predicted)] += count
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

  /// The intersection over union of each class; `nil` for a class that does not occur.
  public var perClassIoU: [Double?] {
    (0..<classCount).map { index in
      ratio(
        truePositives(index),
        of: actualCount(index) + predictedCount(index) - truePositives(index))
    }
  }

  /// The number of pixels of each class.
  public var supports: [Int] { (0..<classCount).map(actualCount) }

  /// The fraction of correct pixels of each class; `nil` for a class without pixels.
  public var perClassAccuracy: [Double?] {
    (0..<classCount).map { ratio(truePositives($0), of: actualCount($0)) }
  }

  /// The mean intersection over union of the classes that occur.
  public var meanIoU: Double? { perClassIoU.compactMap(\.self).mean }

  /// The mean accuracy of the classes that have pixels.
  public var meanAccuracy: Double? { perClassAccuracy.compactMap(\.self).mean }

  /// The fraction of all pixels that are correct.
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
