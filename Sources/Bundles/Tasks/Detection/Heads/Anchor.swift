import TensorIOBundle
import TensorIOCore

/// A box that predicted boxes are relative to, as fractions of the model's input size.
struct Anchor: Sendable, Equatable {
  /// The center.
  var (x, y): (Float, Float)
  /// The size.
  var (width, height): (Float, Float)

  /// Returns the anchors of a bundle: those in its file, or generated ones.
  static func anchors(_ context: HeadContext) throws(ModelError) -> [Anchor] {
    if let file = context.task.string("anchors") { return try read(file, context) }
    guard let strides = context.task.integers("strides"), !strides.isEmpty else {
      throw context.error(
        "the head ssd needs the setting anchors, a file in assets, or strides to generate anchors")
    }
    return try generate(
      context, strides, perCell: DetectionTask.anchorsPerCell.value(in: context.task))
  }

  /// Generates anchors of the size of the image at the centers of cells.
  ///
  /// Successive layers with the same stride share cells: the anchors of a cell are adjacent.
  private static func generate(
    _ context: HeadContext, _ strides: [Int], perCell: Int
  ) throws(ModelError) -> [Anchor] {
    var runs: [(stride: Int, count: Int)] = []
    for stride in strides {
      if let last = runs.last, last.stride == stride {
        runs[runs.count - 1].count += perCell
      } else {
        runs.append((stride, perCell))
      }
    }
    var anchors: [Anchor] = []
    for (stride, count) in runs {
      let columns = (context.width + stride - 1) / stride
      let rows = (context.height + stride - 1) / stride
      guard anchors.count + columns * rows * count <= GridCell.maxCount else {
        throw context.error("strides give more than \(GridCell.maxCount) anchors")
      }
      for y in 0..<rows {
        for x in 0..<columns {
          let anchor = Anchor(
            x: (Float(x) + 0.5) / Float(columns), y: (Float(y) + 0.5) / Float(rows), width: 1,
            height: 1)
          anchors += repeatElement(anchor, count: count)
        }
      }
    }
    return anchors
  }

  /// Reads a file with an anchor per line: center x, center y, width and height.
  private static func read(
    _ file: String, _ context: HeadContext
  ) throws(ModelError) -> [Anchor] {
    var lines = try context.bundle.folder.labels(named: file)
    while lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count <= GridCell.maxCount else {
      throw context.error("the file \(file) has more than \(GridCell.maxCount) anchors")
    }
    var anchors: [Anchor] = []
    anchors.reserveCapacity(lines.count)
    for (number, line) in lines.enumerated() {
      let fields = line.split { $0 == "," || $0.isWhitespace }.compactMap { Float($0) }
      guard fields.count == 4, fields.allSatisfy(\.isFinite) else {
        throw context.error(
          "line \(number + 1) of \(file) is no anchor: four numbers, the center x, center y, width "
            + "and height")
      }
      anchors.append(Anchor(x: fields[0], y: fields[1], width: fields[2], height: fields[3]))
    }
    return anchors
  }
}
