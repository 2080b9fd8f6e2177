package import TensorIOImage
import TensorIOSystem

/// The extraction of a square region around each object, turned so that the object is upright.
///
/// Models of faces, hands and irises expect such regions. The rules are those of MediaPipe: the box of the object is turned by
/// the direction from one keypoint to another, shifted and enlarged, and its longer side is the side of the square.
package struct RegionCrop: Sendable, Hashable {
  /// The keypoints that determine the rotation.
  package struct Rotation: Sendable, Hashable {
    /// The index of the keypoint where the direction begins.
    package var start: Int
    /// The index of the keypoint where the direction ends.
    package var end: Int
    /// The direction in the region, in degrees counterclockwise from the right.
    package var angle: Double

    /// Creates a rotation.
    package init(from start: Int, to end: Int, angle: Double = 0) {
      (self.start, self.end, self.angle) = (start, end, angle)
    }
  }

  /// The image with the objects.
  package var image: ChainSource
  /// The step that found the objects: detections or poses.
  package var objects: String
  /// The side of the region's image.
  package var size: Int
  /// The rotation; `nil` for upright regions.
  package var rotation: Rotation?
  /// The ratio of the square's side to the longer side of the box.
  package var scale: Double
  /// The distance of the region's center from that of the box, in widths and heights of the box, in turned directions.
  package var shift: AffineMap.Point
  /// The indices of the keypoints whose extent is the box; empty for the box of the object.
  package var keypoints: [Int]
  /// Whether the region's image is mirrored, so that a right eye looks like a left one.
  package var isMirrored: Bool

  /// The allowed range of the scale.
  package static let allowedScales = 0.1...10.0

  /// Creates an extraction.
  package init(
    image: ChainSource, objects: String, size: Int, rotation: Rotation? = nil, scale: Double = 1,
    shift: AffineMap.Point = .init(x: 0, y: 0), keypoints: [Int] = [], isMirrored: Bool = false
  ) {
    (self.image, self.objects, self.size, self.rotation) = (image, objects, size, rotation)
    (self.scale, self.shift, self.keypoints) = (scale, shift, keypoints)
    self.isMirrored = isMirrored
  }
}

extension RegionCrop {
  /// Returns the map from the image to the region's image.
  ///
  /// - Parameters:
  ///   - box: The box of the object; `nil` for the extent of its keypoints.
  ///   - points: The keypoints of the object, by index; `nil` for those that are missing.
  /// - Returns: The map, or `nil` if the region has no area or a keypoint is missing.
  package func map(box: BoundingBox?, points: [AffineMap.Point?]) -> AffineMap? {
    guard let box = keypoints.isEmpty ? box ?? Self.extent(of: points) : selectedExtent(points)
    else { return nil }
    var turn = 0.0
    if let rotation {
      guard points.indices.contains(rotation.start), points.indices.contains(rotation.end),
        let start = points[rotation.start], let end = points[rotation.end]
      else { return nil }
      turn = rotation.angle * .pi / 180 - atan2(-(end.y - start.y), end.x - start.x)
    }
    let (cosine, sine) = (cos(turn), sin(turn))
    let (dx, dy) = (box.width * shift.x, box.height * shift.y)
    let x = (box.xmin + box.xmax) / 2 + dx * cosine - dy * sine
    let y = (box.ymin + box.ymax) / 2 + dx * sine + dy * cosine
    let side = max(box.width, box.height) * scale
    guard side > 0, side.isFinite, x.isFinite, y.isFinite, turn.isFinite else { return nil }
    let pixel = side / Double(size)
    let flip = isMirrored ? -1.0 : 1.0
    let (a, b) = (cosine * pixel * flip, sine * pixel * flip)
    let (c, d) = (-sine * pixel, cosine * pixel)
    let half = Double(size) / 2
    return AffineMap(
      a: a, b: b, c: c, d: d, tx: x - (a + c) * half, ty: y - (b + d) * half
    ).inverse
  }

  private func selectedExtent(_ points: [AffineMap.Point?]) -> BoundingBox? {
    var selected: [AffineMap.Point?] = []
    for index in keypoints {
      guard points.indices.contains(index), let point = points[index] else { return nil }
      selected.append(point)
    }
    return Self.extent(of: selected)
  }

  private static func extent(of points: [AffineMap.Point?]) -> BoundingBox? {
    let points = points.compactMap(\.self)
    guard let left = points.lazy.map(\.x).min(), let right = points.lazy.map(\.x).max(),
      let top = points.lazy.map(\.y).min(), let bottom = points.lazy.map(\.y).max()
    else { return nil }
    return BoundingBox(xmin: left, ymin: top, xmax: right, ymax: bottom)
  }
}

extension AffineMap {
  /// Returns a pose with the map applied to its keypoints, and to the corners of its box.
  func apply(to pose: Pose) -> Pose {
    var mapped = pose
    for index in mapped.keypoints.indices {
      let point = apply(mapped.keypoints[index].x, mapped.keypoints[index].y)
      (mapped.keypoints[index].x, mapped.keypoints[index].y) = (point.x, point.y)
    }
    guard let box = pose.box else { return mapped }
    let corners = [
      apply(box.xmin, box.ymin), apply(box.xmax, box.ymin), apply(box.xmin, box.ymax),
      apply(box.xmax, box.ymax),
    ]
    mapped.box = BoundingBox(
      xmin: corners.lazy.map(\.x).min() ?? 0, ymin: corners.lazy.map(\.y).min() ?? 0,
      xmax: corners.lazy.map(\.x).max() ?? 0, ymax: corners.lazy.map(\.y).max() ?? 0)
    return mapped
  }
}
