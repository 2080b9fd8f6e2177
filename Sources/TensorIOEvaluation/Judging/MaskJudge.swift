internal import TensorIOCore
internal import TensorIOData
internal import TensorIOImage

/// Judges the classes of pixels, on the grid of the data's masks.
struct MaskJudge: Judge {
  private let output: String
  private let grid: MaskGrid
  private let labels: [String]

  private var metric: SegmentationMetric
  private var samples = SampleAnswers()

  /// A judge of an output that has a class, or a score for each class, at every place of a grid.
  init(_ layer: Layer, labels: [String]) throws(ModelError) {
    guard let grid = MaskGrid(layer) else {
      throw ModelError(
        .output, .unsupported("judging masks by an output without rows and columns"),
        layer: layer.name)
    }
    (output, self.grid, self.labels) = (layer.name, grid, labels)
    metric = SegmentationMetric(
      classes: max(grid.classes ?? 0, labels.count, 2), ignoring: Int(ClassMask.ignored))
  }

  /// True class, class found and number of pixels, for every two that meet.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    guard case .mask(let mask) = example.truth else { throw Judgement.unreadable(example.place) }
    let classes = grid.classes(of: try output.value(of: self.output))
    let geometry = output.geometries.lazy.compactMap(\.self).first
    var counts: [ConfusionMatrix.Cell: Int] = [:]
    for y in 0..<mask.size.height {
      for x in 0..<mask.size.width {
        let truth = mask.classes[y * mask.size.width + x]
        guard truth != ClassMask.ignored,
          let place = grid.place(ofPixel: x, y, of: mask.size, geometry)
        else { continue }
        counts[.init(truth: Int(truth), found: classes[place]), default: 0] += 1
      }
    }
    return Judgement(
      counts.sorted { ($0.key.truth, $0.key.found) < ($1.key.truth, $1.key.found) }
        .flatMap { [Double($0.key.truth), Double($0.key.found), Double($0.value)] })
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    let numbers = judgement.numbers.compactMap { Int(exactly: $0) }
    guard numbers.count == judgement.numbers.count, numbers.count.isMultiple(of: 3) else {
      throw Judgement.unreadable(item)
    }
    var (right, all) = (0, 0)
    for start in stride(from: 0, to: numbers.count, by: 3) {
      let (truth, found, count) = (numbers[start], numbers[start + 1], numbers[start + 2])
      try metric.add(count, of: found, truth: truth)
      all += count
      if truth == found { right += count }
    }
    let accuracy = Double(right) / Double(max(1, all))
    samples.add(
      SampleAnswer(
        name: item.name, picture: item.picture, truth: "\(all) pixels",
        found: "\((accuracy * 100).fixed(1)) % right", isRight: accuracy >= 0.9,
        loss: 1 - accuracy))
  }

  func report(into result: inout EvaluationResult) {
    result.figures += metric.figures
    let (overlaps, supports) = (metric.intersectionsOverUnions, metric.supports)
    result.classes = overlaps.indices.filter { overlaps[$0] != nil }.map { index in
      ClassResult(
        label: labels.indices.contains(index) ? labels[index] : String(index),
        count: supports[index], figures: [.share("iou", overlaps[index])].compactMap(\.self))
    }
    result.samples = samples
  }
}

/// The places at which an output tells a class.
struct MaskGrid: Sendable {
  let height: Int
  let width: Int
  /// How many scores there are at each place; `nil` where there is a class itself.
  let classes: Int?

  /// The grid of `[h, w]` or `[h, w, classes]`, whatever single axes are around it.
  init?(_ layer: Layer) {
    let axes = layer.shape.axes.compactMap(\.self).filter { $0 > 1 }
    guard axes.count == 2 || axes.count == 3 else { return nil }
    (height, width) = (axes[0], axes[1])
    classes = axes.count == 3 ? axes[2] : nil
  }

  /// The class at every place: the one with the highest score, of equal ones the first.
  func classes(of numbers: [Float]) -> [Int] {
    guard let count = classes else {
      return numbers.map { Int(exactly: $0.rounded()) ?? Int(ClassMask.ignored) }
    }
    return stride(from: 0, to: numbers.count - count + 1, by: count).map { start in
      (0..<count).reduce(0) { numbers[start + $1] > numbers[start + $0] ? $1 : $0 }
    }
  }

  /// The place that tells about a pixel of the caller's picture; `nil` where the model did not see it.
  func place(
    ofPixel x: Int, _ y: Int, of size: PictureSize, _ geometry: ImageGeometry?
  ) -> Int? {
    let (column, row) = place(Double(x) + 0.5, Double(y) + 0.5, size, geometry)
    guard (0..<Double(width)).contains(column), (0..<Double(height)).contains(row) else {
      return nil
    }
    return Int(row) * width + Int(column)
  }

  private func place(
    _ x: Double, _ y: Double, _ size: PictureSize, _ geometry: ImageGeometry?
  ) -> (column: Double, row: Double) {
    guard let geometry else {
      return (x / Double(size.width) * Double(width), y / Double(size.height) * Double(height))
    }
    let place = geometry.pictureToModel.apply(x, y)
    return (
      place.x / Double(geometry.modelWidth) * Double(width),
      place.y / Double(geometry.modelHeight) * Double(height)
    )
  }
}
