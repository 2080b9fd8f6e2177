public import TensorIOCore

/// Judges masks by the pixels that have the right class.
///
/// It needs the memory of a table of classes × classes, however many masks there are.
///
///     var metric = SegmentationMetric(classes: 21, ignoring: 255)
///     try metric.add(mask, truth: trueMask)
///     metric.figures  // miou, pixel_accuracy, mean_accuracy
public struct SegmentationMetric: Metric {
  /// How many classes there are.
  public let classes: Int
  /// The label of pixels whose true class nobody knows; they do not count.
  public let ignored: Int?
  /// How many pixels of each true class (rows) were given which class, row by row.
  public private(set) var confusion: [Int]

  /// A judge without masks.
  public init(classes: Int, ignoring ignored: Int? = nil) {
    precondition(classes > 0, "a mask has a class at least")
    self.classes = classes
    self.ignored = ignored
    confusion = [Int](repeating: 0, count: classes * classes)
  }

  /// Takes a mask into account, the class of every pixel; one that does not fit leaves no trace.
  public mutating func add(_ found: [UInt8], truth: [UInt8]) throws(ModelError) {
    try count(found, truth)
  }

  /// Takes a mask into account, the class of every pixel; one that does not fit leaves no trace.
  public mutating func add(_ found: [Int], truth: [Int]) throws(ModelError) {
    try count(found, truth)
  }

  // Generic within the module alone, where the compiler makes a fast loop of each.
  private mutating func count<Label: BinaryInteger>(
    _ found: [Label], _ truth: [Label]
  ) throws(ModelError) {
    guard found.count == truth.count else {
      throw ModelError(.input, .wrongCount(expected: truth.count, actual: found.count))
    }
    var sum = confusion
    for pixel in truth.indices where Int(clamping: truth[pixel]) != ignored {
      sum[try index(truth[pixel]) * classes + index(found[pixel])] += 1
    }
    confusion = sum
  }

  /// Takes pixels into account that are counted already.
  public mutating func add(_ count: Int, of found: Int, truth: Int) throws(ModelError) {
    guard truth != ignored else { return }
    confusion[try index(truth) * classes + index(found)] += count
  }

  private func index(_ label: some BinaryInteger) throws(ModelError) -> Int {
    let index = Int(clamping: label)
    guard (0..<classes).contains(index) else {
      throw ModelError(.input, .labelOutOfRange(value: index, count: classes))
    }
    return index
  }
}

extension SegmentationMetric {
  private func right(_ label: Int) -> Int { confusion[label * classes + label] }
  private func truth(_ label: Int) -> Int {
    (0..<classes).reduce(0) { $0 + confusion[label * classes + $1] }
  }
  private func found(_ label: Int) -> Int {
    (0..<classes).reduce(0) { $0 + confusion[$1 * classes + label] }
  }

  /// What a class's pixels and those that were taken for it have in common, of all of them.
  ///
  /// `nil` for a class that is nowhere, neither in truth nor found.
  public var intersectionsOverUnions: [Double?] {
    (0..<classes).map { share(right($0), of: truth($0) + found($0) - right($0)) }
  }

  /// How many pixels of each class there are.
  public var supports: [Int] { (0..<classes).map(truth) }

  /// The share of every class's pixels that was found; `nil` for one that has none.
  public var accuracies: [Double?] {
    (0..<classes).map { share(right($0), of: truth($0)) }
  }

  /// The mean of the classes that are somewhere.
  public var meanIntersectionOverUnion: Double? { intersectionsOverUnions.compactMap(\.self).mean }

  /// The mean of the classes that have pixels.
  public var meanAccuracy: Double? { accuracies.compactMap(\.self).mean }

  /// The share of all pixels that has the right class.
  public var pixelAccuracy: Double? {
    share((0..<classes).reduce(0) { $0 + right($1) }, of: confusion.reduce(0, +))
  }

  /// `miou`, `pixel_accuracy` and `mean_accuracy`.
  public var figures: [Figure] {
    [
      .share("miou", meanIntersectionOverUnion), .share("pixel_accuracy", pixelAccuracy),
      .share("mean_accuracy", meanAccuracy),
    ].compactMap(\.self)
  }
}
