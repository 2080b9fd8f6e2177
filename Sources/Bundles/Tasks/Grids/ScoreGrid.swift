import TensorIOBundle
import TensorIOCore

/// The shape of an output with a class, or a score per class, for each cell of a grid.
struct ScoreGrid: Sendable {
  let width: Int
  let height: Int
  /// The number of scores of a cell, or 1.
  let classCount: Int
  /// Whether each cell has a class instead of scores.
  let isClassMap: Bool
  /// The distance between the scores of a cell, and between cells.
  let (scoreStride, cellStride): (Int, Int)

  /// Creates the grid of a tensor of the shape `[h, w]`, `[1, h, w]`, or `[h, w, classes]` or
  /// `[classes, h, w]` with or without a batch axis.
  init(
    _ tensor: Tensor, _ layout: ImageLayout, layer: String
  ) throws(ModelError) {
    var shape = tensor.shape
    if shape.count == 4, shape[0] == 1 {
      shape.removeFirst()
    } else if shape.count == 3, shape[0] == 1 {
      shape = [shape[1], shape[2]]
    }
    switch (shape.count, layout) {
    case (2, _): (height, width, classCount) = (shape[0], shape[1], 1)
    case (3, .channelsLast): (height, width, classCount) = (shape[0], shape[1], shape[2])
    case (3, .channelsFirst): (height, width, classCount) = (shape[1], shape[2], shape[0])
    default:
      throw ModelError(
        .output,
        .invalidValue(
          "a grid needs the shape [h, w], [h, w, classes] or [classes, h, w]; the output is "
            + "\(tensor, as: "tensor")"), layer: layer)
    }
    guard width > 0, height > 0, classCount > 0, classCount < Int(UInt16.max) else {
      throw ModelError(
        .output,
        .invalidValue("the output \(tensor, as: "tensor") has no pixels or too many classes"),
        layer: layer)
    }
    isClassMap = classCount == 1 && !tensor.elementType.isFloatingPoint
    (scoreStride, cellStride) = layout == .channelsLast ? (1, classCount) : (width * height, 1)
  }
}
