import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOTasks

/// Evaluates the class of every pixel at the resolution of the ground-truth masks.
struct SegmentationEvaluator: Evaluator {
  /// How the class of a pixel is predicted.
  private enum Source: Sendable {
    /// By the bundle's task, which enlarges scores before it chooses a class.
    case task(ResultReading.Function<Segmentation>)
    /// By the nearest cell of an output, for bundles without a task.
    case grid(SegmentationGrid, output: String)
  }

  /// The number of classes that a mask can have, and one for all others.
  private static let maxClassCount = Int(ClassMask.ignoredClass) + 1
  /// The predicted class of pixels that the model has not seen, because they were cropped away.
  private static let unseenClass = Int.min
  /// The minimum fraction of correct pixels of a mask that counts as correct.
  private static let sampleAccuracy = 0.9

  private let source: Source
  private let labels: [String]

  private var metric: SegmentationMetric
  private var boundaries = BoundaryMetric()
  private var samples = SamplePredictions()
  private var items: [MaskItem] = []

  /// Creates an evaluator for a bundle whose task finds the class of each pixel.
  init(_ model: ResultReader, labels: [String]) throws(ModelError) {
    let read = try model.reading { if case .pixels(let read) = $0 { read } else { nil } }
    (source, self.labels) = (.task(read), labels)
    metric = SegmentationMetric(
      classCount: Self.maxClassCount, ignoring: Int(ClassMask.ignoredClass))
  }

  /// Creates an evaluator for an output with a class, or a score per class, in every cell of a
  /// grid.
  init(_ layer: Layer, labels: [String]) throws(ModelError) {
    guard let grid = SegmentationGrid(layer) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating masks requires a two-dimensional output"),
        layer: layer.name)
    }
    (source, self.labels) = (.grid(grid, output: layer.name), labels)
    metric = SegmentationMetric(
      classCount: max(grid.classCount ?? 0, labels.count, 2), ignoring: Int(ClassMask.ignoredClass))
  }

  /// Returns actual class, predicted class and number of pixels for every pair that occurs, and the
  /// numbers of pixels of the outlines.
  ///
  /// - Throws: `ModelError` with reason `wrongCount` if the output does not have the declared
  ///   number of values, which can happen if the model has dynamic dimensions.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .mask(let mask) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let predicted = try predictedClasses(in: output, of: mask.size)
    var groundTruth = mask.classes.map(Int.init)
    for pixel in predicted.indices where predicted[pixel] == Self.unseenClass {
      groundTruth[pixel] = Int(ClassMask.ignoredClass)
    }
    return SegmentationScore(predicted, groundTruth, width: mask.size.width).itemScore
  }

  /// Returns the predicted class of every pixel of a mask.
  private func predictedClasses(
    in output: ModelOutput, of size: ImageSize
  ) throws(ModelError) -> [Int] {
    switch source {
    case .task(let read):
      let segmentation = try read(output)
      let count = size.width * size.height
      guard segmentation.width == size.width, segmentation.classes.count == count else {
        throw ModelError(
          .output, .wrongCount(expected: count, actual: segmentation.classes.count))
      }
      return segmentation.classes.map {
        $0 == Segmentation.unknownClass
          ? Self.unseenClass : min(Int($0), Self.maxClassCount - 1)
      }
    case .grid(let grid, let name):
      let values: [Float] = try output.value(of: name)
      guard values.count == grid.valueCount else {
        throw ModelError(
          .output, .wrongCount(expected: grid.valueCount, actual: values.count), layer: name)
      }
      let classes = grid.classes(of: values)
      let geometry = output.imageGeometries.lazy.compactMap(\.self).first
      return (0..<size.height).flatMap { y in
        (0..<size.width).map { x in
          grid.index(ofPixel: x, y, of: size, geometry).map { classes[$0] } ?? Self.unseenClass
        }
      }
    }
  }

  /// Returns the classes of the mask and the predicted classes, in the order of their indices.
  func summary(of score: ItemScore) -> ItemSummary? {
    guard let score = SegmentationScore(score) else { return nil }
    let names = { (classes: [Int]) in Set(classes).sorted().map(name(ofClass:)) }
    let accuracy = score.accuracy
    return ItemSummary(
      groundTruth: .labels(names(score.cells.map(\.actual))),
      prediction: .labels(names(score.cells.map(\.predicted))),
      isCorrect: accuracy >= Self.sampleAccuracy, loss: 1 - accuracy)
  }

  func itemMetrics() -> [any ItemMetric] {
    [MergedItems(items, empty: MaskItem(), itemCost: 500)]
  }

  /// Returns the label of a class, or its index if it has none.
  private func name(ofClass index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let score = SegmentationScore(score) else { throw ItemScore.malformed(item) }
    for (actual, predicted, count) in score.cells {
      try metric.add(count, predicted: predicted, groundTruth: actual)
    }
    score.outlines.forEach { boundaries.add($0) }
    items.append(MaskItem(score.cells, outlines: score.outlines))
    let (accuracy, total) = (score.accuracy, score.total)
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: "\(total) pixels",
        prediction: "\((accuracy * 100).formatted(decimals: 1)) % correct",
        isCorrect: accuracy >= Self.sampleAccuracy, loss: 1 - accuracy))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values + boundaries.values
    let (overlaps, supports) = (metric.perClassIoU, metric.supports)
    result.classes = overlaps.indices.filter { overlaps[$0] != nil }.map { index in
      ClassResult(
        label: name(ofClass: index),
        count: supports[index],
        metrics: [
          .fraction("iou", overlaps[index]),
          .fraction("boundary_f", boundaries.score(of: index)),
        ].compactMap(\.self))
    }
    result.confusion = confusion
    result.samples = samples
  }

  /// The numbers of pixels of each pair of classes that occur.
  private var confusion: ConfusionResult? {
    let count = metric.classCount
    let cells = metric.confusion.enumerated().filter { $0.element > 0 }.map {
      (actual: $0.offset / count, predicted: $0.offset % count, count: $0.element)
    }
    let classes = Set(cells.flatMap { [$0.actual, $0.predicted] }).sorted()
    guard !classes.isEmpty else { return nil }
    let positions = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    return ConfusionResult(
      labels: classes.map(name(ofClass:)),
      cells: cells.compactMap { cell in
        guard let actual = positions[cell.actual], let predicted = positions[cell.predicted] else {
          return nil
        }
        return .init(actual: actual, predicted: predicted, count: cell.count)
      })
  }
}

/// The numbers of pixels that the metrics of a mask are computed from.
private struct SegmentationScore {
  /// The number of pixels per actual and predicted class, in ascending order.
  private(set) var cells: [(actual: Int, predicted: Int, count: Int)] = []
  /// The numbers of pixels of the outlines of each class.
  private(set) var outlines: [BoundaryMetric.Counts] = []

  /// The number of pixels.
  var total: Int { cells.reduce(0) { $0 + $1.count } }

  /// The fraction of correct pixels.
  var accuracy: Double {
    let correct = cells.reduce(0) { $0 + ($1.actual == $1.predicted ? $1.count : 0) }
    return Double(correct) / Double(max(1, total))
  }

  /// Counts the pixels of a mask.
  init(_ predicted: [Int], _ groundTruth: [Int], width: Int) {
    let ignored = Int(ClassMask.ignoredClass)
    var counts: [ConfusionMatrix.Cell: Int] = [:]
    // Neighbors usually have the same classes, so that runs are counted.
    var start = 0
    while start < groundTruth.count {
      let (actual, prediction) = (groundTruth[start], predicted[start])
      var end = start + 1
      while end < groundTruth.count, groundTruth[end] == actual, predicted[end] == prediction {
        end += 1
      }
      if actual != ignored {
        counts[.init(actual: actual, predicted: prediction), default: 0] += end - start
      }
      start = end
    }
    cells = counts.map { ($0.key.actual, $0.key.predicted, $0.value) }
      .sorted { ($0.actual, $0.predicted) < ($1.actual, $1.predicted) }
    outlines = BoundaryMetric.counts(predicted, groundTruth, width: width, ignoring: ignored)
      .filter { $0.label >= 0 }
  }

  /// Reads the counts; `nil` if they are malformed.
  init?(_ score: ItemScore) {
    let numbers = score.values.compactMap { Int(exactly: $0) }
    guard numbers.count == score.values.count, numbers.count.isMultiple(of: 3) else { return nil }
    var start = 0
    while start < numbers.count {
      let (first, second, third) = (numbers[start], numbers[start + 1], numbers[start + 2])
      if first >= 0 {
        cells.append((first, second, third))
        start += 3
        continue
      }
      guard start + 6 <= numbers.count, numbers[start + 3] == first, first != .min else {
        return nil
      }
      outlines.append(
        BoundaryMetric.Counts(
          label: -1 - first, predicted: third, predictedNear: second,
          actual: numbers[start + 5], actualNear: numbers[start + 4]))
      start += 6
    }
  }

  /// Three numbers for each cell; twice three for each outline, with a negative first number.
  var itemScore: ItemScore {
    var values: [Int] = []
    for cell in cells { values += [cell.actual, cell.predicted, cell.count] }
    for outline in outlines {
      let mark = -1 - outline.label
      values += [mark, outline.predictedNear, outline.predicted]
      values += [mark, outline.actualNear, outline.actual]
    }
    return ItemScore(values.map { Double($0) })
  }
}

/// The grid of cells for which an output predicts classes.
struct SegmentationGrid: Sendable {
  let height: Int
  let width: Int
  /// The number of scores per cell; `nil` if each cell holds a class index.
  let classCount: Int?

  /// The number of values of the output.
  var valueCount: Int { height * width * (classCount ?? 1) }

  /// Creates the grid of a `[h, w]` or `[h, w, classes]` layer, ignoring axes of length 1.
  init?(_ layer: Layer) {
    let axes = layer.shape.dimensions.compactMap(\.self).filter { $0 > 1 }
    guard axes.count == 2 || axes.count == 3 else { return nil }
    (height, width) = (axes[0], axes[1])
    classCount = axes.count == 3 ? axes[2] : nil
  }

  /// Returns the class of every cell: the one with the highest score, the first one in a tie.
  func classes(of values: [Float]) -> [Int] {
    guard let count = classCount else {
      return values.map { Int(exactly: $0.rounded()) ?? Int(ClassMask.ignoredClass) }
    }
    return stride(from: 0, to: values.count - count + 1, by: count).map { start in
      (0..<count).reduce(0) { values[start + $1] > values[start + $0] ? $1 : $0 }
    }
  }

  /// Returns the cell of a pixel of the original image; `nil` if the pixel was cropped away.
  func index(
    ofPixel x: Int, _ y: Int, of size: ImageSize, _ geometry: ImageGeometry?
  ) -> Int? {
    let (column, row) = gridPoint(Double(x) + 0.5, Double(y) + 0.5, size, geometry)
    guard (0..<Double(width)).contains(column), (0..<Double(height)).contains(row) else {
      return nil
    }
    return Int(row) * width + Int(column)
  }

  private func gridPoint(
    _ x: Double, _ y: Double, _ size: ImageSize, _ geometry: ImageGeometry?
  ) -> (column: Double, row: Double) {
    guard let geometry else {
      return (x / Double(size.width) * Double(width), y / Double(size.height) * Double(height))
    }
    let point = geometry.imageToModel.apply(x, y)
    return (
      point.x / Double(geometry.modelWidth) * Double(width),
      point.y / Double(geometry.modelHeight) * Double(height)
    )
  }
}
