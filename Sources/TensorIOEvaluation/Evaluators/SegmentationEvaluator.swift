import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage

/// Evaluates the class of every pixel at the resolution of the ground-truth masks.
struct SegmentationEvaluator: Evaluator {
  private let output: String
  private let grid: SegmentationGrid
  private let labels: [String]

  private var metric: SegmentationMetric
  private var samples = SamplePredictions()

  /// Creates an evaluator for an output with a class, or a score per class, in every cell of a
  /// grid.
  init(_ layer: Layer, labels: [String]) throws(ModelError) {
    guard let grid = SegmentationGrid(layer) else {
      throw ModelError(
        .output, .unmetRequirement("evaluating masks requires a two-dimensional output"),
        layer: layer.name)
    }
    (output, self.grid, self.labels) = (layer.name, grid, labels)
    metric = SegmentationMetric(
      classCount: max(grid.classCount ?? 0, labels.count, 2), ignoring: Int(ClassMask.ignoredClass))
  }

  /// Returns actual class, predicted class and number of pixels for every pair that occurs.
  ///
  /// - Throws: `ModelError` with reason `wrongCount` if the output does not have the declared
  ///   number of values, which can happen if the model has dynamic dimensions.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .mask(let mask) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let values: [Float] = try output.value(of: self.output)
    guard values.count == grid.valueCount else {
      throw ModelError(
        .output, .wrongCount(expected: grid.valueCount, actual: values.count), layer: self.output)
    }
    let classes = grid.classes(of: values)
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    var counts: [ConfusionMatrix.Cell: Int] = [:]
    for y in 0..<mask.size.height {
      for x in 0..<mask.size.width {
        let actual = mask.classes[y * mask.size.width + x]
        guard actual != ClassMask.ignoredClass,
          let cell = grid.index(ofPixel: x, y, of: mask.size, geometry)
        else { continue }
        counts[.init(actual: Int(actual), predicted: classes[cell]), default: 0] += 1
      }
    }
    return ItemScore(
      counts.sorted { ($0.key.actual, $0.key.predicted) < ($1.key.actual, $1.key.predicted) }
        .flatMap { [Double($0.key.actual), Double($0.key.predicted), Double($0.value)] })
  }

  /// Returns the classes of the mask and the predicted classes, in the order of their indices.
  func summary(of score: ItemScore) -> ItemSummary? {
    guard let cells = Self.cells(of: score) else { return nil }
    let names = { (classes: [Int]) in Set(classes).sorted().map(name(ofClass:)) }
    return ItemSummary(
      groundTruth: .labels(names(cells.map(\.actual))),
      prediction: .labels(names(cells.map(\.predicted))))
  }

  /// Returns the class counts of a score; `nil` if it is not one of this evaluator.
  private static func cells(
    of score: ItemScore
  ) -> [(actual: Int, predicted: Int, count: Int)]? {
    let numbers = score.values.compactMap { Int(exactly: $0) }
    guard numbers.count == score.values.count, numbers.count.isMultiple(of: 3) else { return nil }
    return stride(from: 0, to: numbers.count, by: 3).map { start in
      (numbers[start], numbers[start + 1], numbers[start + 2])
    }
  }

  /// Returns the label of a class, or its index if it has none.
  private func name(ofClass index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let cells = Self.cells(of: score) else { throw ItemScore.malformed(item) }
    var (correct, total) = (0, 0)
    for (actual, predicted, count) in cells {
      try metric.add(count, predicted: predicted, groundTruth: actual)
      total += count
      if actual == predicted { correct += count }
    }
    let accuracy = Double(correct) / Double(max(1, total))
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: "\(total) pixels",
        prediction: "\((accuracy * 100).formatted(decimals: 1)) % correct",
        isCorrect: accuracy >= 0.9, loss: 1 - accuracy))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    let (overlaps, supports) = (metric.perClassIoU, metric.supports)
    result.classes = overlaps.indices.filter { overlaps[$0] != nil }.map { index in
      ClassResult(
        label: name(ofClass: index),
        count: supports[index], metrics: [.fraction("iou", overlaps[index])].compactMap(\.self))
    }
    result.samples = samples
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
