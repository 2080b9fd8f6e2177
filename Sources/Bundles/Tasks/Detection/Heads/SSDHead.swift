import TensorIOBundle
import TensorIOCore

/// Single-shot detectors with boxes relative to anchors: `[1, N, 4 + 2 · keypoints]` and
/// `[1, N, classes]`, such as BlazeFace, SSD and EfficientDet.
struct SSDHead: DetectionHead {
  static let name = "ssd"
  static let hasScoresOutput = true
  static let defaults = HeadDefaults(coordinates: .normalized)
  /// The divisors of boxes relative to the anchors of a file.
  static let defaultScales: [Float] = [10, 10, 5, 5]

  private let activation: ScoreActivation
  private let anchors: [Anchor]
  /// The divisors of x, y, width and height.
  private let scales: [Float]
  private let hasExponentialSize: Bool
  /// Whether y comes before x, and the height before the width.
  private let isTransposed: Bool

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .sigmoid, comparesClasses: true)
    let task = context.task
    isTransposed = context.boxOrder == .yxyx
    guard context.boxOrder != .xyxy, DetectionOptions(task).coordinates == .normalized else {
      throw context.error(
        "the head ssd has normalized boxes in the order cxcywh, or yxyx for y before x")
    }
    anchors = try Anchor.anchors(context)
    // Anchors of a file have a size, which an exponential scales; generated anchors do not.
    let isFile = task.string("anchors") != nil
    let size = [Float(context.width), Float(context.height)]
    let divisors = task.floats("scales") ?? (isFile ? Self.defaultScales : size + size)
    guard divisors.count == 4, divisors.allSatisfy({ $0 > 0 }) else {
      throw context.error("scales are four numbers above 0: for x, y, width and height")
    }
    scales = divisors
    hasExponentialSize = task.bool("exponential_size") ?? isFile
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let rows = try ScoredRows(tensors, activation.background, head: Self.name)
    guard rows.rows == anchors.count else {
      throw tensors.boxes.mismatch(
        "there are \(anchors.count) anchors, but \(rows.rows) boxes")
    }
    let columns = rows.columns
    let values = tensors.boxes.values
    var candidates = DetectionCandidates(pointCount: (columns - 4) / 2)
    activation.forEachBest(of: rows.kernel, threshold: threshold, in: &candidates) {
      candidates, row, index, score in
      let first = row * columns
      let points = stride(from: first + 4, to: first + columns - 1, by: 2).flatMap {
        let point = center(values, $0, anchors[row])
        return [Float(point.x), Float(point.y)]
      }
      candidates.append(
        .init(row: row, index: index, score: score, box: box(values, first, anchors[row])),
        points: points)
    }
    return candidates
  }

  /// Returns the point of two numbers.
  private func center(
    _ values: [Float], _ first: Int, _ anchor: Anchor
  ) -> (x: Double, y: Double) {
    let (x, y) =
      isTransposed
      ? (values[first + 1], values[first]) : (values[first], values[first + 1])
    return (
      Double(x / scales[0] * anchor.width + anchor.x),
      Double(y / scales[1] * anchor.height + anchor.y)
    )
  }

  private func box(_ values: [Float], _ first: Int, _ anchor: Anchor) -> BoundingBox {
    let center = center(values, first, anchor)
    let (width, height) =
      isTransposed
      ? (values[first + 3], values[first + 2]) : (values[first + 2], values[first + 3])
    return BoundingBox(
      centerX: center.x, centerY: center.y, width: side(width / scales[2], anchor.width),
      height: side(height / scales[3], anchor.height))
  }

  private func side(_ value: Float, _ anchorSide: Float) -> Double {
    Double((hasExponentialSize ? exponential(value) : value) * anchorSide)
  }
}
