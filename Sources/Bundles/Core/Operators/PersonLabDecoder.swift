import TensorIOSystem

/// Finds the poses of people in the outputs of a PersonLab network, such as PoseNet.
///
/// The network computes, for each cell of a grid over the image, how likely each keypoint is in the
/// cell, where in the cell's neighborhood it is (short offsets), and where the adjacent keypoints of the
/// same person are (mid offsets). A pose begins at a likely keypoint and follows the offsets to the
/// others.
package struct PersonLabDecoder: Sendable {
  /// The outputs of the network, in row-major order of the cells.
  package struct Features: Sendable {
    /// The number of rows and columns of cells.
    package let (height, width): (Int, Int)
    /// The logits of the keypoints: 17 per cell.
    let heatmaps: [Float]
    /// The distances to the keypoints in pixels: 17 vertical, then 17 horizontal ones per cell.
    let shortOffsets: [Float]
    /// The distances to adjacent keypoints in pixels: 16 vertical and 16 horizontal ones away from the
    /// nose, then 16 and 16 toward it, per cell.
    let midOffsets: [Float]

    /// Creates features; `nil` if the numbers of elements do not match.
    package init?(
      height: Int, width: Int, heatmaps: [Float], shortOffsets: [Float], midOffsets: [Float]
    ) {
      let cells = height.multipliedReportingOverflow(by: width)
      guard height > 0, width > 0, !cells.overflow, cells.partialValue <= heatmaps.count,
        heatmaps.count == PersonLabDecoder.keypointCount * cells.partialValue,
        shortOffsets.count == 2 * PersonLabDecoder.keypointCount * cells.partialValue,
        midOffsets.count == 4 * PersonLabDecoder.edges.count * cells.partialValue
      else { return nil }
      (self.height, self.width) = (height, width)
      (self.heatmaps, self.shortOffsets, self.midOffsets) = (heatmaps, shortOffsets, midOffsets)
    }
  }

  /// A position in cells, from 0 to the number of rows or columns minus 1.
  package struct Point: Sendable, Hashable {
    package var y: Float
    package var x: Float

    package init(y: Float, x: Float) { (self.y, self.x) = (y, x) }

    func squaredDistance(to other: Point) -> Float {
      (y - other.y) * (y - other.y) + (x - other.x) * (x - other.x)
    }
  }

  /// A person.
  package struct Pose: Sendable {
    /// The positions of the 17 keypoints in cells.
    package var points: [Point]
    /// The probabilities of the keypoints.
    package var scores: [Float]
    /// The mean probability of the keypoints that no better pose has at the same place.
    package var score: Float
  }

  /// The number of keypoints: those of COCO, from the nose to the right ankle.
  package static let keypointCount = 17
  /// The pairs of adjacent keypoints, away from the nose.
  static let edges: [(from: Int, to: Int)] = [
    (0, 1), (1, 3), (0, 2), (2, 4), (0, 5), (5, 7), (7, 9), (5, 11), (11, 13), (13, 15), (0, 6),
    (6, 8), (8, 10), (6, 12), (12, 14), (14, 16),
  ]
  /// How often a position is moved by the short offset at the position.
  private static let refinementCount = 5

  /// The maximum number of poses.
  package var maxPoses = 20
  /// The distance in pixels within which two keypoints are the same.
  package var nmsRadius: Float = 10
  /// The minimum probability of the keypoint at which a pose begins.
  package var scoreThreshold: Float = 0.2
  /// The minimum score of a pose, before and after the keypoints that a better pose has are left out; 0 for all poses.
  package var poseThreshold: Float = 0
  /// The size of a cell in pixels.
  package var stride: Float = 16

  /// Creates a decoder with the default settings.
  package init() {}
}

extension PersonLabDecoder {
  /// Returns the poses, best first.
  package func poses(in features: Features) -> [Pose] {
    let radius = nmsRadius / stride
    var poses: [Pose] = []
    for root in roots(of: features) {
      guard poses.count < maxPoses else { break }
      let isKnown = poses.contains {
        $0.points[root.keypoint].squaredDistance(to: root.point) <= radius * radius
      }
      guard !isKnown else { continue }
      let pose = pose(from: root, features)
      if isLikely(pose) { poses.append(pose) }
    }
    return suppressingDuplicates(poses.sorted { $0.score > $1.score }, radius)
      .filter(isLikely).sorted { $0.score > $1.score }
  }

  /// Whether a pose has the minimum score; one whose score is not a number is kept.
  private func isLikely(_ pose: Pose) -> Bool { !(pose.score < poseThreshold) }

  /// A keypoint that may belong to a pose, with its logit.
  private struct Candidate {
    let keypoint: Int
    let point: Point
    let logit: Float
  }

  /// Returns the likely keypoints whose cell has the largest logit of its neighborhood, best first.
  private func roots(of features: Features) -> [Candidate] {
    let threshold = Self.logit(of: scoreThreshold)
    var roots: [Candidate] = []
    for y in 0..<features.height {
      for x in 0..<features.width {
        for keypoint in 0..<Self.keypointCount {
          let logit = features.logit(y, x, keypoint)
          guard logit >= threshold, features.isMaximum(logit, y, x, keypoint) else { continue }
          let cell = Point(y: Float(y), x: Float(x))
          let point = features.moved(cell, by: features.shortOffset(keypoint), stride)
          roots.append(Candidate(keypoint: keypoint, point: point, logit: logit))
        }
      }
    }
    return roots.sorted { $0.logit > $1.logit }
  }

  /// Returns the pose that is found by following offsets, from the most likely keypoint on.
  private func pose(from root: Candidate, _ features: Features) -> Pose {
    var pose = Pose(
      points: Array(repeating: Point(y: 0, x: 0), count: Self.keypointCount),
      scores: Array(repeating: 0, count: Self.keypointCount), score: 0)
    var isFound = Array(repeating: false, count: Self.keypointCount)
    var queue = [root]
    while let next = queue.indices.max(by: { queue[$0].logit < queue[$1].logit }) {
      let candidate = queue.remove(at: next)
      guard !isFound[candidate.keypoint] else { continue }
      isFound[candidate.keypoint] = true
      pose.points[candidate.keypoint] = candidate.point
      pose.scores[candidate.keypoint] = Self.probability(of: candidate.logit)
      for (index, edge) in Self.edges.enumerated() {
        if edge.from == candidate.keypoint, !isFound[edge.to] {
          queue.append(follow(index, isForward: true, to: edge.to, candidate.point, features))
        } else if edge.to == candidate.keypoint, !isFound[edge.from] {
          queue.append(follow(index, isForward: false, to: edge.from, candidate.point, features))
        }
      }
    }
    pose.score = pose.scores.reduce(0, +) / Float(Self.keypointCount)
    return pose
  }

  private func follow(
    _ edge: Int, isForward: Bool, to keypoint: Int, _ point: Point, _ features: Features
  ) -> Candidate {
    var target = features.moved(
      point, by: features.midOffset(edge, isForward: isForward), stride)
    for _ in 0..<Self.refinementCount {
      target = features.moved(target, by: features.shortOffset(keypoint), stride)
    }
    return Candidate(
      keypoint: keypoint, point: target, logit: features.logit(at: target, keypoint))
  }

  /// Recomputes the scores without the keypoints that a better pose has at the same place.
  private func suppressingDuplicates(_ poses: [Pose], _ radius: Float) -> [Pose] {
    var result = poses
    for (index, pose) in poses.enumerated() {
      let isDuplicate = { (keypoint: Int) in
        poses[..<index].contains {
          $0.points[keypoint].squaredDistance(to: pose.points[keypoint]) <= radius * radius
        }
      }
      let scores = pose.scores.indices.map { isDuplicate($0) ? 0 : pose.scores[$0] }
      result[index].score = scores.reduce(0, +) / Float(Self.keypointCount)
    }
    return result
  }
}

extension PersonLabDecoder {
  private static func probability(of logit: Float) -> Float {
    Float(1 / (1 + exp(-Double(logit))))
  }

  private static func logit(of probability: Float) -> Float {
    // Compares logits instead of probabilities; the ends stand for "every cell" and "no cell".
    guard probability > 0 else { return -.infinity }
    guard probability < 1 else { return .infinity }
    return Float(log(Double(probability) / (1 - Double(probability))))
  }
}

extension PersonLabDecoder.Features {
  typealias Point = PersonLabDecoder.Point
  /// A list of values per cell, with the positions of the vertical and the horizontal offset.
  typealias Offset = (values: [Float], channels: Int, y: Int, x: Int)

  func shortOffset(_ keypoint: Int) -> Offset {
    let count = PersonLabDecoder.keypointCount
    return (shortOffsets, 2 * count, keypoint, count + keypoint)
  }

  func midOffset(_ edge: Int, isForward: Bool) -> Offset {
    let count = PersonLabDecoder.edges.count
    let first = isForward ? edge : 2 * count + edge
    return (midOffsets, 4 * count, first, first + count)
  }

  func logit(_ y: Int, _ x: Int, _ keypoint: Int) -> Float {
    heatmaps[(y * width + x) * PersonLabDecoder.keypointCount + keypoint]
  }

  func logit(at point: Point, _ keypoint: Int) -> Float {
    sample(heatmaps, PersonLabDecoder.keypointCount, keypoint, at: point)
  }

  /// Whether no adjacent cell has a larger logit.
  func isMaximum(_ logit: Float, _ y: Int, _ x: Int, _ keypoint: Int) -> Bool {
    for row in max(0, y - 1)...min(height - 1, y + 1) {
      for column in max(0, x - 1)...min(width - 1, x + 1)
      where self.logit(row, column, keypoint) > logit { return false }
    }
    return true
  }

  /// Returns a position moved by the offset there, within the grid.
  func moved(_ point: Point, by offset: Offset, _ stride: Float) -> Point {
    let y = sample(offset.values, offset.channels, offset.y, at: point)
    let x = sample(offset.values, offset.channels, offset.x, at: point)
    return Point(
      y: Self.clamp(point.y + y / stride, height), x: Self.clamp(point.x + x / stride, width))
  }

  /// Returns a value at a position, interpolated linearly between cells.
  private func sample(_ values: [Float], _ channels: Int, _ channel: Int, at point: Point) -> Float
  {
    let (y, x) = (Int(point.y), Int(point.x))
    let (nextY, nextX) = (min(y + 1, height - 1), min(x + 1, width - 1))
    let (shareY, shareX) = (point.y - Float(y), point.x - Float(x))
    let value = { (y: Int, x: Int) in values[(y * width + x) * channels + channel] }
    return (1 - shareY) * ((1 - shareX) * value(y, x) + shareX * value(y, nextX))
      + shareY * ((1 - shareX) * value(nextY, x) + shareX * value(nextY, nextX))
  }

  /// Returns the nearest position in the grid; NaN becomes 0.
  private static func clamp(_ position: Float, _ count: Int) -> Float {
    position > 0 ? min(position, Float(count - 1)) : 0
  }
}
