import TensorIOBundle
import TensorIOCore

/// YOLOX: `[1, N, 5 + classes]` with offsets in the cells of grids, one grid per stride.
struct YOLOXHead: DetectionHead {
  static let name = "yolox"
  static let hasScoresOutput = false
  static let defaults = HeadDefaults()
  /// The sides of grid cells in pixels, in the order of the outputs.
  static let defaultStrides = [8, 16, 32]

  private let activation: ScoreActivation
  private let cells: [GridCell]

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none)
    cells = try GridCell.cells(
      context, strides: context.task.integers("strides") ?? Self.defaultStrides)
    guard context.boxOrder == .cxcywh, DetectionOptions(context.task).coordinates == .pixels else {
      throw context.error("the head yolox has boxes in the order cxcywh, in pixels")
    }
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let values = tensors.boxes.values
    let objects = try ObjectnessRows(tensors.boxes, head: Self.name)
    guard objects.rows == cells.count else {
      throw tensors.boxes.mismatch(
        "the strides give \(cells.count) cells, but there are \(objects.rows) boxes")
    }
    return objects.candidates(activation, threshold: threshold) { row, first in
      let (cell, stride) = (cells[row], cells[row].stride)
      return BoundingBox(
        centerX: Double((values[first] + cell.x) * stride),
        centerY: Double((values[first + 1] + cell.y) * stride),
        width: Double(exponential(values[first + 2]) * stride),
        height: Double(exponential(values[first + 3]) * stride))
    }
  }
}

/// A cell of a grid over the model's input image.
struct GridCell: Sendable {
  /// The column and the row of the cell.
  let (x, y): (Float, Float)
  /// The width and height of the cell in pixels.
  let stride: Float

  /// The maximum number of cells.
  static let maxCount = 1 << 20

  /// Returns the cells of the grids with the given strides, row by row.
  static func cells(_ context: HeadContext, strides: [Int]) throws(ModelError) -> [GridCell] {
    let sizes = strides.map { stride in
      (
        width: (context.width + stride - 1) / stride,
        height: (context.height + stride - 1) / stride, stride: stride
      )
    }
    guard !sizes.isEmpty, sizes.reduce(0, { $0 + $1.width * $1.height }) <= maxCount else {
      throw context.error("strides need at least one number and at most \(maxCount) cells")
    }
    return sizes.flatMap { size in
      (0..<size.height).flatMap { y in
        (0..<size.width).map { GridCell(x: Float($0), y: Float(y), stride: Float(size.stride)) }
      }
    }
  }
}
