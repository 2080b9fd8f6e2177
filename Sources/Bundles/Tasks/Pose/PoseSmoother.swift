/// Smooths the poses of a video, whose keypoints tremble from one frame to the next.
///
/// The poses of a frame are matched with the nearest ones of the frame before. The coordinates of each
/// keypoint pass through a ``OneEuroFilter``.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "movenet.tiobundle")
/// var smoother = PoseSmoother()
/// for (index, path) in ["frame-1.jpg", "frame-2.jpg"].enumerated() {
///   let poses = try model.run(ImageBuffer(contentsOf: path)).poses
///   print(smoother.smooth(poses, at: Double(index) / 30).first?["nose"] as Any)
/// }
/// ```
public struct PoseSmoother: Sendable {
  /// A pose of the last frame.
  fileprivate struct Track {
    /// The smoothed pose.
    var pose: Pose
    /// The filters of the coordinates of each keypoint.
    var filters: [String: (x: OneEuroFilter, y: OneEuroFilter)]
  }

  /// The maximum mean distance of the keypoints of the same person in two frames, relative to the
  /// person's size.
  private static let maxDistance = 0.5

  private let prototype: OneEuroFilter
  private var tracks: [Track] = []
  private var lastTime: Double?

  /// Creates a smoother.
  ///
  /// - Parameters:
  ///   - minCutoff: The cutoff frequency of a keypoint that does not move, in hertz.
  ///   - beta: The increase of the cutoff frequency per speed, in sizes of the person per second.
  ///   - derivativeCutoff: The cutoff frequency of the speed, in hertz.
  public init(minCutoff: Double = 1, beta: Double = 10, derivativeCutoff: Double = 1) {
    prototype = OneEuroFilter(
      minCutoff: minCutoff, beta: beta, derivativeCutoff: derivativeCutoff)
  }

  /// Adds the poses of the next frame.
  ///
  /// A pose without a near one in the last frame is not changed.
  ///
  /// - Parameters:
  ///   - poses: The poses of the frame.
  ///   - time: The time of the frame, in seconds.
  /// - Returns: The poses with smoothed keypoints, in the same order.
  public mutating func smooth(_ poses: Poses, at time: Double) -> Poses {
    let interval = lastTime.map { time - $0 } ?? 0
    lastTime = time
    let matches = matches(of: poses.all)
    var next: [Track] = []
    for (index, pose) in poses.enumerated() {
      var track = matches[index].map { tracks[$0] } ?? Track(pose: pose, filters: [:])
      track.update(with: pose, after: interval, prototype)
      next.append(track)
    }
    tracks = next
    var smoothed = poses
    smoothed.all = next.map(\.pose)
    return smoothed
  }

  /// Returns the track of each pose, nearest first; `nil` for new poses.
  private func matches(of poses: [Pose]) -> [Int?] {
    let pairs = poses.indices.flatMap { pose in
      tracks.indices.compactMap { track in
        poses[pose].relativeDistance(to: tracks[track].pose).map { (pose, track, $0) }
      }
    }
    var matches = [Int?](repeating: nil, count: poses.count)
    var used: Set<Int> = []
    for (pose, track, distance) in pairs.sorted(by: { $0.2 < $1.2 }) {
      guard distance <= Self.maxDistance, matches[pose] == nil, !used.contains(track) else {
        continue
      }
      matches[pose] = track
      used.insert(track)
    }
    return matches
  }
}

extension PoseSmoother.Track {
  /// Smooths the keypoints of a pose.
  fileprivate mutating func update(
    with measured: Pose, after interval: Double, _ prototype: OneEuroFilter
  ) {
    let scale = measured.size
    var filters: [String: (x: OneEuroFilter, y: OneEuroFilter)] = [:]
    pose = measured
    for index in measured.keypoints.indices {
      let keypoint = measured.keypoints[index]
      var filter = self.filters[keypoint.name] ?? (prototype, prototype)
      pose.keypoints[index].x = filter.x.filter(keypoint.x, after: interval, scale: scale)
      pose.keypoints[index].y = filter.y.filter(keypoint.y, after: interval, scale: scale)
      filters[keypoint.name] = filter
    }
    self.filters = filters
  }
}

extension Pose {
  /// The length of the diagonal of the extent, or 1 if it has none.
  fileprivate var size: Double {
    guard let extent else { return 1 }
    let diagonal = (extent.width * extent.width + extent.height * extent.height).squareRoot()
    return diagonal > 0 ? diagonal : 1
  }

  /// Returns the mean distance of the keypoints of two poses, relative to the size; `nil` if they have
  /// none in common.
  fileprivate func relativeDistance(to other: Pose) -> Double? {
    let points = Dictionary(
      other.keypoints.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let distances = keypoints.compactMap { keypoint in
      points[keypoint.name].map { other in
        let (x, y) = (keypoint.x - other.x, keypoint.y - other.y)
        return (x * x + y * y).squareRoot()
      }
    }
    guard !distances.isEmpty else { return nil }
    return distances.reduce(0, +) / Double(distances.count) / max(size, other.size)
  }
}
