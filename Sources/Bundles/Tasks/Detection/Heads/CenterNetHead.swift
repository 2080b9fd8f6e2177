import TensorIOBundle
import TensorIOCore

/// CenterNet: the score of each class as the center of an object, for each cell of a grid, and the sizes
/// of the objects; possibly the offsets of the centers in their cells.
///
/// An object is a cell whose score is the largest of the cells around it.
struct CenterNetHead: DetectionHead {
  static let name = "centernet"
  static let hasScoresOutput = true
  static let defaults = HeadDefaults(iouThreshold: nil)

  /// The numbers of cells in the largest grid.
  private static let maxCells = 1 << 22

  private let activation: ScoreActivation
  private let layout: ImageLayout
  /// Whether y comes before x, and the height before the width.
  private let isTransposed: Bool
  private let (width, height): (Int, Int)

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .sigmoid)
    layout = DetectionTask.layout.value(in: context.task)
    isTransposed = context.boxOrder == .yxyx
    (width, height) = (context.width, context.height)
    guard context.boxOrder != .xyxy, DetectionOptions(context.task).coordinates == .pixels else {
      throw context.error(
        "the head centernet has sizes in cells, in the order cxcywh, or yxyx for y before x")
    }
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    guard let scores = tensors.scores else {
      throw tensors.boxes.mismatch("the head \(Self.name) needs an output with the role scores")
    }
    let heatmap = try grid(scores, "[1, h, w, classes]")
    let sizes = try pairs(tensors.boxes, as: heatmap)
    let offsets = try tensors.offsets.map { (tensor) throws(ModelError) in
      try pairs(tensor, as: heatmap)
    }
    let strideX = Double(width) / Double(heatmap.columns)
    let strideY = Double(height) / Double(heatmap.rows)
    var candidates = DetectionCandidates()
    for row in 0..<heatmap.rows {
      for column in 0..<heatmap.columns {
        for index in 0..<heatmap.channels {
          let value = heatmap[row, column, index]
          guard !value.isNaN else {
            candidates.nonfiniteCount += 1
            continue
          }
          let score = activation.single(value)
          guard score >= threshold, heatmap.isPeak(value, row, column, index) else { continue }
          let size = pair(sizes, row, column)
          let offset = offsets.map { pair($0, row, column) } ?? (x: 0, y: 0)
          candidates.append(
            .init(
              row: row * heatmap.columns + column, index: index, score: score,
              box: BoundingBox(
                centerX: Double(Float(column) + offset.x) * strideX,
                centerY: Double(Float(row) + offset.y) * strideY,
                width: Double(size.x) * strideX, height: Double(size.y) * strideY)))
        }
      }
    }
    return candidates
  }

  private func pair(_ grid: Grid, _ row: Int, _ column: Int) -> (x: Float, y: Float) {
    let (first, second) = (grid[row, column, 0], grid[row, column, 1])
    return isTransposed ? (second, first) : (first, second)
  }

  private func pairs(_ tensor: HeadTensor, as heatmap: Grid) throws(ModelError) -> Grid {
    let layout = "[1, \(heatmap.rows), \(heatmap.columns), 2]"
    let grid = try grid(tensor, layout)
    guard grid.rows == heatmap.rows, grid.columns == heatmap.columns, grid.channels == 2 else {
      throw tensor.mismatch("the head \(Self.name) needs the shape \(layout)")
    }
    return grid
  }

  private func grid(_ tensor: HeadTensor, _ expected: String) throws(ModelError) -> Grid {
    // A grid of one row loses it with the leading axes of length 1.
    let shape =
      tensor.shape.count == 2 && layout == .channelsLast ? [1] + tensor.shape : tensor.shape
    guard shape.count == 3, !shape.contains(0), tensor.values.count == shape.reduce(1, *),
      tensor.values.count <= Self.maxCells
    else {
      throw tensor.mismatch("the head \(Self.name) needs the shape \(expected)")
    }
    return layout == .channelsLast
      ? Grid(
        rows: shape[0], columns: shape[1], channels: shape[2], values: tensor.values,
        cellStride: shape[2], channelStride: 1)
      : Grid(
        rows: shape[1], columns: shape[2], channels: shape[0], values: tensor.values,
        cellStride: 1, channelStride: shape[1] * shape[2])
  }
}

/// The numbers of each cell of a grid.
private struct Grid {
  let rows: Int
  let columns: Int
  let channels: Int
  let values: [Float]
  let cellStride: Int
  let channelStride: Int

  subscript(row: Int, column: Int, channel: Int) -> Float {
    values[(row * columns + column) * cellStride + channel * channelStride]
  }

  /// Returns whether no cell around another one has a larger value.
  func isPeak(_ value: Float, _ row: Int, _ column: Int, _ channel: Int) -> Bool {
    for y in max(0, row - 1)...min(rows - 1, row + 1) {
      for x in max(0, column - 1)...min(columns - 1, column + 1)
      where self[y, x, channel] > value {
        return false
      }
    }
    return true
  }
}
