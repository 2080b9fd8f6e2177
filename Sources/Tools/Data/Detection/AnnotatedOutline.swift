/// The pixels of an annotated object, as polygons or as run lengths of COCO.
package enum AnnotatedOutline: Sendable, Hashable {
  /// Polygons of x and y in pixels, which are united.
  case polygons([[Double]])
  /// The lengths of runs of pixels outside and inside in turn, column by column.
  case runLengths([Int], height: Int, width: Int)

  /// The factor by which polygons are enlarged before their outlines are rounded to pixels.
  private static let fineness = 5.0

  /// Returns whether each pixel of an image belongs to the object, row by row.
  ///
  /// The pixels are those of COCO's own tools, which draw the outline of a polygon on a grid that is
  /// finer than the pixels.
  package func pixels(width: Int, height: Int) -> [Bool] {
    var columns = [Bool](repeating: false, count: width * height)
    switch self {
    case .polygons(let polygons):
      for polygon in polygons {
        Self.fill(&columns, between: Self.crossings(polygon, width, height))
      }
    case .runLengths(let lengths, let ownHeight, let ownWidth):
      guard ownHeight == height, ownWidth == width else { break }
      var ends: [Int] = []
      var end = 0
      for length in lengths {
        end += length
        ends.append(end)
      }
      Self.fill(&columns, between: ends)
    }
    var rows = [Bool](repeating: false, count: columns.count)
    for x in 0..<width {
      for y in 0..<height where columns[x * height + y] { rows[y * width + x] = true }
    }
    return rows
  }

  /// Sets the pixels from each first to each second position, column by column.
  private static func fill(_ columns: inout [Bool], between positions: [Int]) {
    for index in stride(from: 0, to: positions.count, by: 2) {
      let end = index + 1 < positions.count ? positions[index + 1] : columns.count
      for position in min(positions[index], columns.count)..<min(end, columns.count) {
        columns[position] = true
      }
    }
  }

  /// Returns the positions, column by column, at which the inside of a polygon begins or ends, in
  /// ascending order.
  private static func crossings(_ polygon: [Double], _ width: Int, _ height: Int) -> [Int] {
    let outline = outline(polygon)
    var positions: [Int] = []
    for (last, point) in zip(outline, outline.dropFirst()) where last.x != point.x {
      // The boundary between two columns of the fine grid is that of pixels at the center of a pixel.
      let fineX = Double(last.x < point.x ? last.x : last.x - 1)
      let x = (fineX + 0.5) / fineness - 0.5
      guard x == x.rounded(.down), x >= 0, x <= Double(width - 1) else { continue }
      let y = (Double(min(last.y, point.y)) + 0.5) / fineness - 0.5
      let row = min(max(y, 0), Double(height)).rounded(.up)
      positions.append(Int(x) * height + Int(row))
    }
    return positions.sorted()
  }

  /// Returns the points of a polygon's outline on the fine grid.
  private static func outline(_ polygon: [Double]) -> [(x: Int, y: Int)] {
    var corners = stride(from: 0, to: polygon.count - 1, by: 2).map { index in
      (x: fine(polygon[index]), y: fine(polygon[index + 1]))
    }
    guard let first = corners.first else { return [] }
    corners.append(first)
    var points: [(x: Int, y: Int)] = []
    for (start, end) in zip(corners, corners.dropFirst()) {
      points += line(from: start, to: end)
    }
    return points
  }

  private static func fine(_ value: Double) -> Int {
    Int((fineness * value + 0.5).rounded(.towardZero))
  }

  /// Returns a point for each step along the longer axis of a line.
  ///
  /// Points are computed from the end with the smaller coordinate, so that a line has the same points in
  /// both directions.
  private static func line(
    from start: (x: Int, y: Int), to end: (x: Int, y: Int)
  ) -> [(x: Int, y: Int)] {
    let (dx, dy) = (abs(end.x - start.x), abs(end.y - start.y))
    let isFlat = dx >= dy
    let isReversed = isFlat ? start.x > end.x : start.y > end.y
    let (low, high) = isReversed ? (end, start) : (start, end)
    let length = isFlat ? dx : dy
    let rise = isFlat ? high.y - low.y : high.x - low.x
    let slope = length == 0 ? 0 : Double(rise) / Double(length)
    return (0...length).map { step in
      let distance = isReversed ? length - step : step
      let across = { (base: Int) in Int(Double(base) + slope * Double(distance) + 0.5) }
      return isFlat
        ? (low.x + distance, across(low.y)) : (across(low.x), low.y + distance)
    }
  }
}

extension AnnotatedOutline {
  /// The maximum number of characters of compressed run lengths.
  private static let maxTextLength = 1 << 24

  /// Reads run lengths in COCO's compressed form: groups of five bits, with the difference to the
  /// length before the last one.
  ///
  /// - Returns: The lengths; `nil` if the text is malformed.
  static func lengths(compressed text: String) -> [Int]? {
    let bytes = Array(text.utf8)
    guard bytes.count <= maxTextLength else { return nil }
    var lengths: [Int] = []
    var index = 0
    while index < bytes.count {
      var (value, shift, hasMore) = (0, 0, true)
      while hasMore {
        guard index < bytes.count, (48..<112).contains(bytes[index]), shift < 60 else {
          return nil
        }
        let group = Int(bytes[index]) - 48
        value |= (group & 0x1F) << shift
        shift += 5
        index += 1
        hasMore = group & 0x20 != 0
        if !hasMore, group & 0x10 != 0 { value |= -1 << shift }
      }
      if lengths.count > 2 {
        let sum = value.addingReportingOverflow(lengths[lengths.count - 2])
        guard !sum.overflow else { return nil }
        value = sum.partialValue
      }
      lengths.append(value)
    }
    return lengths
  }

  /// Creates run lengths; `nil` if they do not cover exactly the pixels of an image.
  init?(lengths: [Int], height: Int, width: Int) {
    guard height > 0, width > 0 else { return nil }
    let pixels = height.multipliedReportingOverflow(by: width)
    guard !pixels.overflow else { return nil }
    var sum = 0
    for length in lengths {
      guard length >= 0, length <= pixels.partialValue - sum else { return nil }
      sum += length
    }
    guard sum == pixels.partialValue else { return nil }
    self = .runLengths(lengths, height: height, width: width)
  }
}
