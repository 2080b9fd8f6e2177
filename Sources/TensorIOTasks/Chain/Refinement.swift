internal import TensorIOImage

/// How things that were found are looked at again, each from near.
///
/// A detector sees a large picture small. What it finds there it finds more exactly in a square of
/// the picture in which it fills some part of the whole.
public struct Refinement: Sendable, Hashable {
  /// The picture that they were found in.
  public var picture: ChainSource
  /// The step that found them.
  public var detections: String
  /// The side of the square, in lengths of the longer side of the box.
  public var scale: Double

  /// The side of the square where nobody says.
  public static let standardScale = 2.5
  /// What the side may be.
  public static let scales = 1.0...10.0

  /// A second look at what a step has found.
  public init(
    picture: ChainSource, detections: String, scale: Double = Refinement.standardScale
  ) {
    (self.picture, self.detections, self.scale) = (picture, detections, scale)
  }
}

/// A square of a picture about something that was found in it.
struct NearView {
  /// How much a thing has in common with what is found from near, at least, to be taken for it.
  private static let leastShare = 0.3

  private let detection: Detection
  private let origin: (x: Double, y: Double)
  private let side: Double
  /// The width and the height of its picture, in pixels.
  private let length: Int

  /// `nil` for a thing without a size.
  init?(of detection: Detection, scale: Double, atMost limit: Int) {
    let box = detection.box
    side = max(box.width, box.height) * scale
    guard side > 0, side.isFinite else { return nil }
    self.detection = detection
    origin = ((box.xmin + box.xmax - side) / 2, (box.ymin + box.ymax - side) / 2)
    length = max(1, Int(clamping: min(side.rounded(.up), Double(limit))))
  }

  /// What the square shows; black beyond the picture.
  func picture(of image: ImageBuffer) throws(ImageError) -> ImageBuffer {
    let zoom = Double(length) / side
    let map = AffineMap(
      a: zoom, b: 0, c: 0, d: zoom, tx: -origin.x * zoom, ty: -origin.y * zoom)
    return try image.warped(by: map, width: length, height: length)
  }

  /// The thing as it is seen from near, in its first picture; as it was where it is not found again.
  func refined(by found: Detections, within bounds: Box) -> Detection {
    let candidates = found.filter { $0.index == detection.index }.map(placed)
    let shares = candidates.map { $0.box.intersectionOverUnion(detection.box) }
    guard let best = shares.indices.max(by: { shares[$0] < shares[$1] }),
      shares[best] >= Self.leastShare
    else { return detection }
    var refined = detection
    refined.box = candidates[best].box.intersection(bounds)
    refined.keypoints = candidates[best].keypoints
    return refined.box.area > 0 ? refined : detection
  }

  /// What was found in the square, where it is in the whole picture.
  private func placed(_ found: Detection) -> Detection {
    let pixel = side / Double(length)
    var placed = found
    placed.box = Box(
      xmin: origin.x + found.box.xmin * pixel, ymin: origin.y + found.box.ymin * pixel,
      xmax: origin.x + found.box.xmax * pixel, ymax: origin.y + found.box.ymax * pixel)
    placed.keypoints = found.keypoints.map {
      Keypoint(name: $0.name, x: origin.x + $0.x * pixel, y: origin.y + $0.y * pixel)
    }
    return placed
  }
}
