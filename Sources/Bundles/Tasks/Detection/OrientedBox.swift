import TensorIOImage
import TensorIOSystem

/// A rectangle that is rotated around its center.
struct OrientedBox: Sendable, Equatable, SuppressibleBox {
  /// The corners, in order: the upper left, upper right, lower right and lower left one of the box before
  /// it is rotated.
  let corners: [AffineMap.Point]
  /// The area.
  let area: Double
  /// The smallest upright rectangle around the corners.
  let bounds: BoundingBox

  /// Creates a rectangle from a box that is not rotated.
  ///
  /// - Parameters:
  ///   - box: The box.
  ///   - angle: The angle in radians, clockwise in an image.
  init(_ box: BoundingBox, angle: Double) {
    let (x, y) = ((box.xmin + box.xmax) / 2, (box.ymin + box.ymax) / 2)
    let (halfWidth, halfHeight) = ((box.xmax - box.xmin) / 2, (box.ymax - box.ymin) / 2)
    let (cosine, sine) = (cos(angle), sin(angle))
    corners = [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].map { side in
      let (across, down) = (side.0 * halfWidth, side.1 * halfHeight)
      return AffineMap.Point(
        x: x + across * cosine - down * sine, y: y + across * sine + down * cosine)
    }
    area = max(0, 4 * halfWidth * halfHeight)
    bounds = BoundingBox(around: corners)
  }

  /// Creates a rectangle from its corners; `nil` if there are none.
  init?(_ corners: [AffineMap.Point]) {
    guard !corners.isEmpty else { return nil }
    self.corners = corners
    area = Self.area(of: corners)
    bounds = BoundingBox(around: corners)
  }

  func intersectionOverUnion(_ other: OrientedBox) -> Double {
    guard bounds.intersection(other.bounds).area > 0 else { return 0 }
    let shared = Self.area(of: intersection(other))
    let union = area + other.area - shared
    return union > 0 ? shared / union : 0
  }

  /// Returns the corners of the intersection, in order: this rectangle, cut at each side of the other one.
  private func intersection(_ other: OrientedBox) -> [AffineMap.Point] {
    var polygon = corners
    for (index, start) in other.corners.enumerated() {
      let end = other.corners[(index + 1) % other.corners.count]
      /// The distance of a point from the side, positive inside, in units of the length of the side.
      func distance(_ point: AffineMap.Point) -> Double {
        (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
      }
      var cut: [AffineMap.Point] = []
      for (position, point) in polygon.enumerated() {
        let next = polygon[(position + 1) % polygon.count]
        let (here, there) = (distance(point), distance(next))
        if here >= 0 { cut.append(point) }
        if (here >= 0) != (there >= 0) {
          let share = here / (here - there)
          cut.append(
            AffineMap.Point(
              x: point.x + (next.x - point.x) * share, y: point.y + (next.y - point.y) * share))
        }
      }
      polygon = cut
      if polygon.isEmpty { break }
    }
    return polygon
  }

  private static func area(of polygon: [AffineMap.Point]) -> Double {
    abs(signedArea(of: polygon))
  }

  /// Returns the area of a polygon, positive if its corners go clockwise in an image.
  static func signedArea(of polygon: [AffineMap.Point]) -> Double {
    var sum = 0.0
    for (index, point) in polygon.enumerated() {
      let next = polygon[(index + 1) % polygon.count]
      sum += point.x * next.y - next.x * point.y
    }
    return sum / 2
  }
}

/// A shape that suppresses others which overlap it.
protocol SuppressibleBox {
  /// Returns the ratio of the shared area to the area of both.
  func intersectionOverUnion(_ other: Self) -> Double
}

extension BoundingBox: SuppressibleBox {}

extension BoundingBox {
  /// Creates the smallest rectangle around points.
  init(around points: [AffineMap.Point]) {
    self.init(
      xmin: points.map(\.x).min() ?? 0, ymin: points.map(\.y).min() ?? 0,
      xmax: points.map(\.x).max() ?? 0, ymax: points.map(\.y).max() ?? 0)
  }
}
