public import TensorIOImage

extension Segmentation {
  /// Returns the lengths of alternating runs of pixels outside and inside a class, column by column
  /// and starting outside, as in COCO's uncompressed masks.
  ///
  /// - Parameter index: The class.
  /// - Returns: The lengths, whose sum is the number of pixels.
  public func runLengths(of index: Int) -> [Int] {
    var lengths: [Int] = []
    var (isInside, length) = (false, 0)
    for x in 0..<width {
      for y in 0..<height {
        if (Int(classes[y * width + x]) == index) != isInside {
          lengths.append(length)
          (isInside, length) = (!isInside, 0)
        }
        length += 1
      }
    }
    return lengths + [length]
  }

  /// Returns the outlines of the connected parts of a class, along the edges of pixels.
  ///
  /// Outlines of holes are included: they run counterclockwise, those of parts clockwise. Pixels that
  /// touch only at a corner belong to different parts.
  ///
  /// - Parameters:
  ///   - index: The class.
  ///   - tolerance: The distance in pixels by which corners may be moved to simplify an outline.
  /// - Returns: The corners of each outline, by descending length of the exact outline.
  public func polygons(of index: Int, tolerance: Double = 0) -> [[AffineMap.Point]] {
    var tracer = OutlineTracer(width: width, height: height) { x, y in
      Int(classes[y * width + x]) == index
    }
    return tracer.outlines().sorted { $0.count > $1.count }.map { outline in
      outline.simplified(tolerance: tolerance)
    }
  }
}

/// Follows the edges between pixels inside and outside a region.
private struct OutlineTracer {
  /// The directions in which edges are followed, clockwise.
  private static let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]

  private let width: Int
  private let height: Int
  private let isInside: (Int, Int) -> Bool
  /// Whether the upper edge of a pixel has been followed, by pixel.
  private var visited: [Bool]

  init(width: Int, height: Int, isInside: @escaping (Int, Int) -> Bool) {
    (self.width, self.height) = (width, height)
    self.isInside = isInside
    visited = Array(repeating: false, count: width * height)
  }

  /// Returns all outlines, without corners on straight lines.
  ///
  /// Every outline has an upper or, in a hole, a lower edge; both are the upper edge of a pixel that
  /// differs from the one above, where outlines start.
  mutating func outlines() -> [[AffineMap.Point]] {
    var result: [[AffineMap.Point]] = []
    for y in 0..<height {
      for x in 0..<width where contains(x, y) && !contains(x, y - 1) && !visited[y * width + x] {
        result.append(follow(x, y))
      }
    }
    return result
  }

  private func contains(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x < width && y < height && isInside(x, y)
  }

  /// Follows the outline along the upper edge of a pixel, with the region on the right-hand side.
  private mutating func follow(_ startX: Int, _ startY: Int) -> [AffineMap.Point] {
    var corners: [AffineMap.Point] = []
    var (x, y, direction) = (startX, startY, 0)
    repeat {
      if direction == 0 { visited[y * width + x] = true }
      let (stepX, stepY) = Self.steps[direction]
      (x, y) = (x + stepX, y + stepY)
      // The pixels ahead: to the left and to the right of the direction.
      let left = ahead(x, y, direction, isRight: false)
      let right = ahead(x, y, direction, isRight: true)
      // Pixels that touch only at a corner are not connected, so that a right turn comes first.
      let next = !right ? (direction + 1) % 4 : left ? (direction + 3) % 4 : direction
      if next != direction { corners.append(AffineMap.Point(x: Double(x), y: Double(y))) }
      direction = next
    } while !(x == startX && y == startY && direction == 0)
    return corners
  }

  /// Returns whether the pixel ahead of a corner is inside, to the left or right of a direction.
  private func ahead(_ x: Int, _ y: Int, _ direction: Int, isRight: Bool) -> Bool {
    switch (direction, isRight) {
    case (0, false): contains(x, y - 1)
    case (0, true): contains(x, y)
    case (1, false): contains(x, y)
    case (1, true): contains(x - 1, y)
    case (2, false): contains(x - 1, y)
    case (2, true): contains(x - 1, y - 1)
    case (3, false): contains(x - 1, y - 1)
    default: contains(x, y - 1)
    }
  }
}

extension [AffineMap.Point] {
  /// Returns a closed outline with fewer corners, none of which is farther than `tolerance` from the
  /// original (Douglas and Peucker).
  fileprivate func simplified(tolerance: Double) -> [AffineMap.Point] {
    guard tolerance > 0, count > 4 else { return self }
    // The corner that is farthest from the first divides the outline into two lines.
    let far = indices.max {
      self[$0].squaredDistance(to: self[0]) < self[$1].squaredDistance(to: self[0])
    }
    guard let far, far > 0 else { return self }
    var isKept = [Bool](repeating: false, count: count + 1)
    (isKept[0], isKept[far]) = (true, true)
    var pending = [(0, far), (far, count)]
    while let (first, last) = pending.popLast() {
      guard last - first > 1 else { continue }
      let (start, end) = (self[first], self[last % count])
      let distances = (first + 1..<last).map { ($0, self[$0].squaredDistance(to: start, end)) }
      guard let farthest = distances.max(by: { $0.1 < $1.1 }), farthest.1 > tolerance * tolerance
      else { continue }
      isKept[farthest.0] = true
      pending += [(first, farthest.0), (farthest.0, last)]
    }
    return indices.filter { isKept[$0] }.map { self[$0] }
  }
}

extension AffineMap.Point {
  fileprivate func squaredDistance(to other: AffineMap.Point) -> Double {
    (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
  }

  /// Returns the squared distance to a line segment.
  fileprivate func squaredDistance(to start: AffineMap.Point, _ end: AffineMap.Point) -> Double {
    let length = start.squaredDistance(to: end)
    guard length > 0 else { return squaredDistance(to: start) }
    let dot = (x - start.x) * (end.x - start.x) + (y - start.y) * (end.y - start.y)
    let position = Swift.min(1, Swift.max(0, dot / length))
    return squaredDistance(
      to: AffineMap.Point(
        x: start.x + position * (end.x - start.x), y: start.y + position * (end.y - start.y)))
  }
}
