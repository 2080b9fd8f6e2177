import TensorIOImage
import TensorIOSystem

extension OrientedBox {
  /// Returns the rectangle of least area that contains points, and its shorter side; one side lies on an edge of their convex
  /// hull.
  ///
  /// The time is proportional to the number of edges of the hull times its points.
  ///
  /// - Parameter points: The points, which may repeat.
  /// - Returns: The rectangle; `nil` without an area.
  static func minimal(around points: [AffineMap.Point]) -> (box: OrientedBox, shortSide: Double)? {
    let hull = convexHull(of: points)
    guard hull.count > 2 else { return nil }
    var best: (area: Double, x: Double, y: Double, s: ClosedRange<Double>, t: ClosedRange<Double>)?
    for (index, start) in hull.enumerated() {
      let end = hull[index + 1 < hull.count ? index + 1 : 0]
      let (dx, dy) = (end.x - start.x, end.y - start.y)
      let length = hypot(dx, dy)
      let (x, y) = (dx / length, dy / length)
      var (s, t) = (
        (low: Double.infinity, high: -Double.infinity),
        (low: Double.infinity, high: -Double.infinity)
      )
      for point in hull {
        let (along, across) = (point.x * x + point.y * y, point.y * x - point.x * y)
        (s.low, s.high) = (min(s.low, along), max(s.high, along))
        (t.low, t.high) = (min(t.low, across), max(t.high, across))
      }
      let area = (s.high - s.low) * (t.high - t.low)
      // Of equal rectangles, the first edge decides.
      if area < (best?.area ?? .infinity) - 1e-9 {
        best = (area, x, y, s.low...s.high, t.low...t.high)
      }
    }
    guard let best else { return nil }
    let corners = [
      (best.s.lowerBound, best.t.lowerBound), (best.s.upperBound, best.t.lowerBound),
      (best.s.upperBound, best.t.upperBound), (best.s.lowerBound, best.t.upperBound),
    ].map { s, t in AffineMap.Point(x: s * best.x - t * best.y, y: s * best.y + t * best.x) }
    guard let box = OrientedBox(corners) else { return nil }
    return (
      box,
      min(best.s.upperBound - best.s.lowerBound, best.t.upperBound - best.t.lowerBound)
    )
  }

  /// Returns the corners of the convex hull of points, from the leftmost one, by the upper side of an image last.
  private static func convexHull(of points: [AffineMap.Point]) -> [AffineMap.Point] {
    var sorted = points.sorted { $0.x == $1.x ? $0.y < $1.y : $0.x < $1.x }
    var count = 0
    for point in sorted where count == 0 || sorted[count - 1] != point {
      sorted[count] = point
      count += 1
    }
    sorted.removeSubrange(count...)
    guard sorted.count > 2 else { return sorted }
    func half(_ points: some Sequence<AffineMap.Point>) -> ArraySlice<AffineMap.Point> {
      var hull: [AffineMap.Point] = []
      for point in points {
        while hull.count > 1 {
          let (a, b) = (hull[hull.count - 2], hull[hull.count - 1])
          guard (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x) <= 0 else { break }
          hull.removeLast()
        }
        hull.append(point)
      }
      return hull.dropLast()
    }
    return Array(half(sorted) + half(sorted.reversed()))
  }

  /// Returns the corners in the order of a text: the upper left, upper right, lower right and lower left one.
  ///
  /// The two leftmost corners are the left ones, so that slanted lines keep their direction.
  var readingOrder: OrientedBox {
    guard corners.count == 4 else { return self }
    let sorted = corners.enumerated().sorted {
      $0.element.x == $1.element.x ? $0.offset < $1.offset : $0.element.x < $1.element.x
    }.map(\.element)
    let isFirstUpper = sorted[1].y > sorted[0].y
    let isThirdUpper = sorted[3].y > sorted[2].y
    return OrientedBox([
      sorted[isFirstUpper ? 0 : 1], sorted[isThirdUpper ? 2 : 3], sorted[isThirdUpper ? 3 : 2],
      sorted[isFirstUpper ? 1 : 0],
    ]) ?? self
  }

  /// The length of the outline.
  var perimeter: Double {
    corners.enumerated().reduce(0) { sum, item in
      let next = corners[item.offset + 1 < corners.count ? item.offset + 1 : 0]
      return sum + hypot(next.x - item.element.x, next.y - item.element.y)
    }
  }
}

extension OrientedBox {
  /// Returns the points of the rectangle grown by a distance, with round corners.
  ///
  /// They are whole numbers, as the library Clipper 6 computes them from whole corners; models were trained with it, and other
  /// arithmetic moves corners by up to two pixels.
  ///
  /// - Parameter distance: The distance in pixels.
  /// - Returns: The points; empty without an area.
  func points(grownBy distance: Double) -> [AffineMap.Point] {
    var whole = corners.map {
      AffineMap.Point(x: $0.x.rounded(.towardZero), y: $0.y.rounded(.towardZero))
    }
    whole = whole.enumerated().filter {
      $0.element != whole[$0.offset == 0 ? whole.count - 1 : $0.offset - 1]
    }.map(\.element)
    guard whole.count > 2, distance > 0 else { return [] }
    let distance = min(distance, Self.maxDistance)
    if Self.signedArea(of: whole) < 0 { whole.reverse() }
    let normals = whole.indices.map { index in
      let (start, end) = (whole[index], whole[index + 1 < whole.count ? index + 1 : 0])
      let length = hypot(end.x - start.x, end.y - start.y)
      return AffineMap.Point(x: (end.y - start.y) / length, y: (start.x - end.x) / length)
    }
    let tolerance = min(Self.arcTolerance, distance * Self.arcTolerance)
    let steps = min(.pi / acos(1 - tolerance / distance), distance * .pi)
    let (sine, cosine) = (sin(2 * .pi / steps), cos(2 * .pi / steps))
    var points: [AffineMap.Point] = []
    for (index, corner) in whole.enumerated() {
      func push(_ x: Double, _ y: Double) {
        points.append(
          .init(x: (corner.x + x * distance).rounded(), y: (corner.y + y * distance).rounded()))
      }
      let (before, after) = (normals[index == 0 ? normals.count - 1 : index - 1], normals[index])
      let cross = before.x * after.y - after.x * before.y
      let dot = before.x * after.x + before.y * after.y
      if abs(cross * distance) < 1, dot > 0 {
        push(before.x, before.y)
        continue
      }
      var (x, y) = (before.x, before.y)
      let turn = abs(atan2(max(-1, min(1, cross)), dot))
      for _ in 0..<max(Int((steps / (2 * .pi) * turn).rounded()), 1) {
        push(x, y)
        (x, y) = (x * cosine - sine * y, x * sine + y * cosine)
      }
      push(after.x, after.y)
    }
    return points
  }

  /// A distance that takes every box beyond every image.
  private static let maxDistance = 65_536.0
  /// How far the corners of an arc may be from a circle.
  private static let arcTolerance = 0.25
}
