import TensorIOBundle
import TensorIOCore

/// The output of YOLO v8 and later: a column or a row for each box, with its four numbers, its scores
/// and the weights of its mask.
struct YOLOv8Matrix {
  /// The number of boxes.
  let boxCount: Int
  /// The positions of the scores among the numbers of a box.
  let scores: Range<Int>
  /// The positions of the weights of prototypes among the numbers of a box.
  let weights: Range<Int>
  /// Whether each box is a column.
  let hasColumns: Bool
  private let (rows, columns): (Int, Int)
  private let values: [Float]

  /// Creates the matrix of an output.
  ///
  /// - Parameters:
  ///   - tensor: The output.
  ///   - labelCount: The number of labels; 0 if it is unknown.
  ///   - prototypeCount: The number of numbers after the scores, such as the weights of prototypes.
  ///   - head: The name of the head, for errors.
  /// - Throws: A ``ModelError`` if the output has another shape.
  init(
    _ tensor: HeadTensor, labelCount: Int, prototypeCount: Int, head: String = YOLOv8Head.name
  ) throws(ModelError) {
    (rows, columns) = try tensor.matrix(
      "[1, 4 + classes, N] or [1, N, 4 + classes]", head: head, minColumns: 0)
    values = tensor.values
    // The labels decide which axis is which; without them, there are fewer classes than boxes.
    let expected = 4 + labelCount + prototypeCount
    hasColumns =
      (rows == expected) == (columns == expected) ? rows <= columns : rows == expected
    let count = hasColumns ? rows : columns
    guard count > 4 + prototypeCount else {
      throw tensor.mismatch(
        "the head \(head) needs four numbers and at least one class for each box"
          + (prototypeCount > 0 ? ", and \(prototypeCount) more after the scores" : ""))
    }
    boxCount = hasColumns ? columns : rows
    scores = 4..<count - prototypeCount
    weights = count - prototypeCount..<count
  }

  /// The kernel that finds the best class of each box.
  var kernel: BestClassKernel {
    hasColumns
      ? BestClassKernel(columnsOf: values, rows: rows, columns: columns, scores: scores)
      : BestClassKernel(rowsOf: values, rows: rows, columns: columns, scores: scores)
  }

  /// Returns a number of a box.
  subscript(box: Int, position: Int) -> Float {
    hasColumns ? values[position * columns + box] : values[box * columns + position]
  }
}
