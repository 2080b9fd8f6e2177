import TensorIOCore
import TensorIOImage
import TensorIOSystem

/// Finds boxes around the lines of a text in a map of probabilities, as networks with differentiable binarization return it.
struct TextDetectionDecoder: Sendable {
  /// How the score of a region is computed.
  enum ScoreMode: String, Sendable, CaseIterable {
    /// The mean probability in the smallest rectangle around a region.
    case fast
    /// The mean probability of the pixels of a region.
    case slow
  }

  /// The probability above which a pixel belongs to a region.
  var threshold: Float
  /// The minimum mean probability of a region.
  var minimumScore: Float
  /// How much regions, which are narrower than their text, grow: the distance times the perimeter, divided by the area.
  var unclipRatio: Double
  /// The minimum length of the shorter side of a region, in cells of the map.
  var minimumSide: Double
  /// Whether regions grow by one cell to the right and below before they are separated.
  var dilates: Bool
  /// How scores are computed.
  var scoreMode: ScoreMode
  /// The maximum number of regions, the largest ones.
  var candidateCount: Int

  /// How much longer the shorter side of a grown box has to be than that of its region.
  private static let growth = 2.0
  /// The length below which a box is dropped, in pixels of the image.
  private static let minSide = 4.0

  /// Returns the boxes with their scores in cells of the map, from top to bottom.
  func boxes(in map: [Float], width: Int) -> [(box: OrientedBox, score: Float)] {
    var search = RegionSearch(map, width: width, threshold: threshold, dilates: dilates)
    return search.regions(in: map, width: width, limit: candidateCount).compactMap { region in
      guard let (minimal, side) = OrientedBox.minimal(around: region.points),
        side >= minimumSide
      else { return nil }
      let box = minimal.readingOrder
      let score =
        scoreMode == .slow
        ? Float(region.sum / Double(region.area)) : Self.score(of: box, in: map, width: width)
      guard score >= minimumScore else { return nil }
      let distance = box.area * unclipRatio / box.perimeter
      guard let grown = OrientedBox.minimal(around: box.points(grownBy: distance)),
        grown.shortSide >= minimumSide + Self.growth
      else { return nil }
      return (grown.box.readingOrder, score)
    }
  }

  /// Returns a box in whole pixels of an image; `nil` if it has no area there.
  ///
  /// - Parameters:
  ///   - box: The box.
  ///   - map: The map from the cells to the image.
  ///   - size: The size of the image.
  /// - Returns: The box with its corners in the order of a text.
  static func box(
    _ box: OrientedBox, mappedBy map: AffineMap, to size: (width: Int, height: Int)
  ) -> OrientedBox? {
    let (right, bottom) = (Double(size.width), Double(size.height))
    let corners = box.corners.map { corner in
      let point = map.apply(corner.x, corner.y)
      // An image of one pixel has no box, but a corner.
      return AffineMap.Point(
        x: min(max(point.x.rounded(.toNearestOrEven), 0), right),
        y: min(max(point.y.rounded(.toNearestOrEven), 0), bottom))
    }
    guard let mapped = OrientedBox(corners)?.readingOrder else { return nil }
    let clipped = mapped.corners.map {
      AffineMap.Point(x: min($0.x, right - 1), y: min($0.y, bottom - 1))
    }
    let sides = (
      hypot(clipped[1].x - clipped[0].x, clipped[1].y - clipped[0].y),
      hypot(clipped[3].x - clipped[0].x, clipped[3].y - clipped[0].y)
    )
    // Corners that are no numbers have no sides.
    guard sides.0 >= minSide, sides.1 >= minSide else { return nil }
    return OrientedBox(clipped)
  }

  /// Returns the mean probability in a box whose corners are truncated to whole cells; its outline belongs to it.
  static func score(of box: OrientedBox, in map: [Float], width: Int) -> Float {
    let height = map.count / max(width, 1)
    let bounds = box.bounds
    func cell(_ value: Double, _ count: Int) -> Int { Int(min(max(value, 0), Double(count - 1))) }
    let (left, right) = (
      cell(bounds.xmin.rounded(.down), width), cell(bounds.xmax.rounded(.up), width)
    )
    let (top, bottom) = (
      cell(bounds.ymin.rounded(.down), height), cell(bounds.ymax.rounded(.up), height)
    )
    let corners = box.corners.map {
      (x: Int($0.x - Double(left)), y: Int($0.y - Double(top)))
    }
    var area = 0
    for (index, corner) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      area += corner.x * next.y - next.x * corner.y
    }
    let sign = area >= 0 ? 1 : -1
    /// A side as the half plane `slope · x + offset >= 0`, which depends on the row.
    let sides = corners.indices.map { index in
      let (start, end) = (corners[index], corners[(index + 1) % corners.count])
      let (dx, dy) = (end.x - start.x, end.y - start.y)
      // The outline is a cell wide.
      return (dx: dx * sign, dy: dy * sign, start: start, reach: max(abs(dx), abs(dy)))
    }
    let values = map.span
    var (sum, count) = (0.0, 0)
    for y in 0...bottom - top {
      // The cells of a row in a convex shape are a range.
      var (first, last) = (0, right - left)
      for side in sides {
        // Twice the distance: 2·dx·(y − start.y) − 2·dy·(x − start.x) + reach >= 0.
        let constant = 2 * side.dx * (y - side.start.y) + 2 * side.dy * side.start.x + side.reach
        if side.dy == 0 {
          if constant < 0 { last = -1 }
        } else if side.dy > 0 {
          last = min(last, Self.floor(constant, over: 2 * side.dy))
        } else {
          first = max(first, -Self.floor(constant, over: -2 * side.dy))
        }
      }
      guard first <= last else { continue }
      let start = (top + y) * width + left
      for x in first...last {
        let value = values[start + x]
        if value == value { sum += Double(value) }
      }
      count += last - first + 1
    }
    return count == 0 ? 0 : Float(sum / Double(count))
  }

  /// Returns a quotient rounded down; the divisor is positive.
  private static func floor(_ dividend: Int, over divisor: Int) -> Int {
    dividend >= 0 ? dividend / divisor : -((-dividend + divisor - 1) / divisor)
  }
}
