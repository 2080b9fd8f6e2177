import TensorIOImage

/// The order in which boxes with text are read.
enum ReadingOrder: String, Sendable, CaseIterable {
  /// Row by row, from left to right, as tables and forms are read.
  case rows
  /// Column by column where the text has columns of several long lines, otherwise row by row.
  case columns

  /// The difference of the upper edges of boxes in a row, in pixels of the image.
  private static let rowTolerance = 10.0
  /// The part of the width of all boxes from which a box belongs to no column.
  private static let spanningWidth = 0.6
  /// The part of a column's width that its lines fill on average: cells of tables are shorter.
  private static let minLineLength = 0.6
  /// The minimum number of lines of a column.
  private static let minLineCount = 3

  /// Returns the positions of boxes in the order in which they are read; the corners of each have the order of its text.
  func positions(of boxes: [OrientedBox]) -> [Int] {
    let all = Array(boxes.indices)
    return self == .rows ? Self.rows(all, boxes) : Self.columns(all, boxes)
  }

  /// Orders boxes from top to bottom; one moves before others to its right in the same row.
  private static func rows(_ positions: [Int], _ boxes: [OrientedBox]) -> [Int] {
    func corner(_ position: Int) -> AffineMap.Point { boxes[position].corners[0] }
    var order = positions.sorted { one, two in
      let (a, b) = (corner(one), corner(two))
      return a.y != b.y ? a.y < b.y : a.x != b.x ? a.x < b.x : one < two
    }
    for index in order.indices.dropLast() {
      var place = index
      while place >= 0 {
        let (above, next) = (corner(order[place]), corner(order[place + 1]))
        guard abs(next.y - above.y) < rowTolerance, next.x < above.x else { break }
        order.swapAt(place, place + 1)
        place -= 1
      }
    }
    return order
  }

  /// Orders the boxes between those that span all columns.
  private static func columns(_ positions: [Int], _ boxes: [OrientedBox]) -> [Int] {
    let whole = extent(positions, boxes)
    var order: [Int] = []
    var zone: [Int] = []
    for position in rows(positions, boxes) {
      guard boxes[position].bounds.width > spanningWidth * whole.width else {
        zone.append(position)
        continue
      }
      order += split(zone, boxes) + [position]
      zone = []
    }
    return order + split(zone, boxes)
  }

  /// Orders boxes by columns, from left to right, if there are some.
  private static func split(_ positions: [Int], _ boxes: [OrientedBox]) -> [Int] {
    var columns: [[Int]] = []
    var right = -Double.infinity
    for position in positions.sorted(by: { boxes[$0].bounds.xmin < boxes[$1].bounds.xmin }) {
      let bounds = boxes[position].bounds
      if columns.isEmpty || bounds.xmin > right { columns.append([]) }
      columns[columns.count - 1].append(position)
      right = max(right, bounds.xmax)
    }
    let areColumns = columns.allSatisfy { column in
      let width = extent(column, boxes).width
      let lengths = column.reduce(0) { $0 + boxes[$1].bounds.width }
      return column.count >= minLineCount
        && lengths >= minLineLength * width * Double(column.count)
    }
    return columns.count > 1 && areColumns
      ? columns.flatMap { rows($0, boxes) } : rows(positions, boxes)
  }

  private static func extent(_ positions: [Int], _ boxes: [OrientedBox]) -> BoundingBox {
    BoundingBox(around: positions.flatMap { boxes[$0].corners })
  }
}
