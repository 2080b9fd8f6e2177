import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage

/// Judges the classes of pixels, on the grid of the data's masks.
struct SegmentationEvaluator: Evaluator {
  private let output: String
  private let grid: SegmentationGrid
  private let labels: [String]

  private var metric: SegmentationMetric
  private var samples = SamplePredictions()

  /// A judge of an output that has a class, or a score for each class, at every place of a grid.
  init(_ layer: Layer, labels: [String]) throws(ModelError) {
    guard let grid = SegmentationGrid(layer) else {
      throw ModelError(
        .output, .unsupported("judging masks by an output without rows and columns"),
        layer: layer.name)
    }
    (output, self.grid, self.labels) = (layer.name, grid, labels)
    metric = SegmentationMetric(
      classCount: max(grid.classCount ?? 0, labels.count, 2), ignoring: Int(ClassMask.ignoredClass))
  }

  /// True class, class found and number of pixels, for every two that meet.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .mask(let mask) = example.groundTruth else { throw ItemScore.malformed(example.item) }
    let classes = grid.classCount(of: try output.value(of: self.output))
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    var counts: [ConfusionMatrix.Cell: Int] = [:]
    for y in 0..<mask.size.height {
      for x in 0..<mask.size.width {
        let truth = mask.classes[y * mask.size.width + x]
        guard truth != ClassMask.ignoredClass,
          let place = grid.index(ofPixel: x, y, of: mask.size, geometry)
        else { continue }
        counts[.init(actual: Int(truth), predicted: classes[place]), default: 0] += 1
      }
    }
    return ItemScore(
      counts.sorted { ($0.key.actual, $0.key.predicted) < ($1.key.actual, $1.key.predicted) }
        .flatMap { [Double($0.key.actual), Double($0.key.predicted), Double($0.value)] })
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    let numbers = judgement.values.compactMap { Int(exactly: $0) }
    guard numbers.count == judgement.values.count, numbers.count.isMultiple(of: 3) else {
      throw ItemScore.malformed(item)
    }
    var (right, all) = (0, 0)
    for start in stride(from: 0, to: numbers.count, by: 3) {
      let (truth, found, count) = (numbers[start], numbers[start + 1], numbers[start + 2])
      try metric.add(count, predicted: found, groundTruth: truth)
      all += count
      if truth == found { right += count }
    }
    let accuracy = Double(right) / Double(max(1, all))
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: "\(all) pixels",
        prediction: "\((accuracy * 100).formatted(decimals: 1)) % right", isCorrect: accuracy >= 0.9,
        loss: 1 - accuracy))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    let (overlaps, supports) = (metric.perClassIoU, metric.supports)
    result.classes = overlaps.indices.filter { overlaps[$0] != nil }.map { index in
      ClassResult(
        label: labels.indices.contains(index) ? labels[index] : String(index),
        count: supports[index], metrics: [.fraction("iou", overlaps[index])].compactMap(\.self))
    }
    result.samples = samples
  }
}

/// The places at which an output tells a class.
struct SegmentationGrid: Sendable {
  let height: Int
  let width: Int
  /// How many scores there are at each place; `nil` where there is a class itself.
  let classCount: Int?

  /// The grid of `[h, w]` or `[h, w, classes]`, whatever single axes are around it.
  init?(_ layer: Layer) {
    let axes = layer.shape.dimensions.compactMap(\.self).filter { $0 > 1 }
    guard axes.count == 2 || axes.count == 3 else { return nil }
    (height, width) = (axes[0], axes[1])
    classCount = axes.count == 3 ? axes[2] : nil
  }

  /// The class at every place: the one with the highest score, of equal ones the first.
  func classCount(of numbers: [Float]) -> [Int] {
    guard let count = classCount else {
      return numbers.map { Int(exactly: $0.rounded()) ?? Int(ClassMask.ignoredClass) }
    }
    return stride(from: 0, to: numbers.count - count + 1, by: count).map { start in
      (0..<count).reduce(0) { numbers[start + $1] > numbers[start + $0] ? $1 : $0 }
    }
  }

  /// The place that tells about a pixel of the caller's picture; `nil` where the model did not see it.
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
    let place = geometry.imageToModel.apply(x, y)
    return (
      place.x / Double(geometry.modelWidth) * Double(width),
      place.y / Double(geometry.modelHeight) * Double(height)
    )
  }
}
