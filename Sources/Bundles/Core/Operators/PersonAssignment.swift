/// The person that each cell of a grid belongs to: the one whose keypoints are closest to those that the long offsets of the
/// cell lead to (PersonLab).
package struct PersonAssignment {
  /// A position in cells.
  package typealias Point = PersonLabDecoder.Point

  /// How often a position is moved by the offset at the position.
  private static let stepCount = 3

  private let height: Int
  private let width: Int
  private let keypointCount: Int
  /// The distances to the keypoints in pixels: all vertical ones, then all horizontal ones per cell.
  private let offsets: [Float]
  private let strides: (x: Float, y: Float)

  /// Creates an assignment for a grid; `nil` if the number of offsets does not match.
  package init?(
    height: Int, width: Int, keypointCount: Int, offsets: [Float], strides: (x: Double, y: Double)
  ) {
    guard offsets.count == 2 * keypointCount * height * width else { return nil }
    (self.height, self.width, self.keypointCount) = (height, width, keypointCount)
    self.offsets = offsets
    self.strides = (Float(strides.x), Float(strides.y))
  }

  /// Returns the index of the person of each cell; `nil` if there are no people.
  ///
  /// - Parameter people: The keypoints of each person in cells; `nil` for those that are missing.
  /// - Returns: The indices of the people by cell.
  package func owners(of people: [[Point?]]) -> [Int]? {
    guard !people.isEmpty else { return nil }
    var owners = [Int](repeating: 0, count: height * width)
    var targets = [Point](repeating: Point(y: 0, x: 0), count: keypointCount)
    for cell in owners.indices {
      let (y, x) = cell.quotientAndRemainder(dividingBy: width)
      for keypoint in targets.indices {
        targets[keypoint] = target(of: keypoint, from: Point(y: Float(y), x: Float(x)))
      }
      var best = Float.infinity
      for (index, person) in people.enumerated() {
        let distance = distance(from: targets, to: person)
        if distance < best { (best, owners[cell]) = (distance, index) }
      }
    }
    return owners
  }

  /// Returns the mean squared distance to the keypoints of a person.
  private func distance(from targets: [Point], to person: [Point?]) -> Float {
    var (sum, count) = (Float(0), 0)
    for (target, point) in zip(targets, person) {
      guard let point else { continue }
      sum += target.squaredDistance(to: point)
      count += 1
    }
    return count == 0 ? .infinity : sum / Float(count)
  }

  private func target(of keypoint: Int, from start: Point) -> Point {
    var point = start
    for _ in 0..<Self.stepCount {
      let (dy, dx) = (
        sample(keypoint, at: point), sample(keypointCount + keypoint, at: point)
      )
      point = Point(
        y: Self.clamp(point.y + dy / strides.y, height),
        x: Self.clamp(point.x + dx / strides.x, width))
    }
    return point
  }

  /// Returns an offset at a position, interpolated linearly between cells.
  private func sample(_ channel: Int, at point: Point) -> Float {
    let (y, x) = (Int(point.y), Int(point.x))
    let (nextY, nextX) = (min(y + 1, height - 1), min(x + 1, width - 1))
    let (shareY, shareX) = (point.y - Float(y), point.x - Float(x))
    let value = { (y: Int, x: Int) in
      offsets[(y * width + x) * 2 * keypointCount + channel]
    }
    return (1 - shareY) * ((1 - shareX) * value(y, x) + shareX * value(y, nextX))
      + shareY * ((1 - shareX) * value(nextY, x) + shareX * value(nextY, nextX))
  }

  /// Returns the nearest position in the grid; NaN becomes 0.
  private static func clamp(_ position: Float, _ count: Int) -> Float {
    position > 0 ? min(position, Float(count - 1)) : 0
  }
}
