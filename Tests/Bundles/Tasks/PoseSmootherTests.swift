import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct PoseSmootherTests {
  /// A person of 100 × 200 pixels whose upper left corner is at a position.
  private static func person(_ x: Double, _ y: Double, score: Float = 0.9) -> Pose {
    Pose(
      keypoints: [
        Pose.Keypoint(name: "nose", x: x, y: y),
        Pose.Keypoint(name: "left ankle", x: x + 100, y: y + 200),
      ], score: score)
  }

  @Test func `The filter computes the formulas of the 1 € filter`() {
    var filter = OneEuroFilter(minCutoff: 1, beta: 0.5, derivativeCutoff: 1)
    #expect(filter.filter(10, after: 0) == 10)
    // An interval of 0.1 s: the speed is 20 · 0.385870 = 7.717391, the cutoff 4.858695 Hz, the
    // weight 0.753258.
    #expect(abs(filter.filter(12, after: 0.1) - 11.506_515) < 1e-5)
    // The speed becomes 7.717391 + 0.385870 · (4.934850 - 7.717391) = 6.643693, the weight 0.730857.
    #expect(abs(filter.filter(12, after: 0.1) - 11.867_182) < 1e-5)
  }

  @Test func `A filter starts again after measurements that are no numbers, and without time`() {
    var filter = OneEuroFilter()
    _ = filter.filter(1, after: 0.1)
    #expect(filter.filter(.nan, after: 0.1).isNaN && filter.value == nil)
    #expect(filter.filter(5, after: 0.1) == 5)
    for interval in [0, -1, .nan, .infinity] {
      #expect(filter.filter(7, after: interval) == 7 && filter.value == 7)
      #expect(filter.filter(5, after: 0.1) < 7)
    }
    #expect(filter.filter(9, after: 0.1, scale: 0) == 9)
  }

  @Test func `Trembling is reduced, and motion is followed`() {
    var still = PoseSmoother()
    var largest = 0.0
    for frame in 0..<60 {
      let noise = frame.isMultiple(of: 2) ? 2.0 : -2.0
      let pose = still.smooth(Poses([Self.person(100 + noise, 50)]), at: Double(frame) / 30)[0]
      if frame > 20 { largest = max(largest, abs(pose.keypoints[0].x - 100)) }
    }
    #expect(largest < 1)
    var moving = PoseSmoother()
    var position = 0.0
    for frame in 0..<60 {
      let pose = moving.smooth(Poses([Self.person(Double(frame) * 10, 50)]), at: Double(frame) / 30)
      position = pose[0].keypoints[0].x
    }
    // The person moves 300 pixels per second; the filter lags behind by less than a frame.
    #expect(position > 580 && position <= 590)
  }

  @Test func `People keep their filters when their order changes`() {
    var smoother = PoseSmoother()
    _ = smoother.smooth(Poses([Self.person(0, 0), Self.person(400, 0)]), at: 0)
    let poses = smoother.smooth(Poses([Self.person(404, 0), Self.person(4, 0)]), at: 1.0 / 30)
    #expect((400...404).contains(poses[0].keypoints[0].x) && poses[0].keypoints[0].x < 403)
    #expect((0...4).contains(poses[1].keypoints[0].x) && poses[1].keypoints[0].x < 3)
    // A person who was not there, and keypoints that were not there, are not changed.
    var other = Self.person(800, 100)
    other.keypoints[0].name = "tail"
    #expect(smoother.smooth(Poses([other]), at: 2.0 / 30).all == [other])
    #expect(smoother.smooth(Poses([]), at: 3.0 / 30).isEmpty)
  }

  @Test func `Keypoints of no size and times that stand still are not smoothed`() {
    var smoother = PoseSmoother()
    let point = Pose(keypoints: [Pose.Keypoint(name: "a", x: 1, y: 1)], score: 1)
    _ = smoother.smooth(Poses([point]), at: 0)
    var moved = point
    moved.keypoints[0].x = 1.2
    #expect(smoother.smooth(Poses([moved]), at: 0)[0] == moved)
    #expect(smoother.smooth(Poses([Pose(keypoints: [], score: 1)]), at: 1)[0].keypoints.isEmpty)
  }
}

/// The expected values were computed with the formulas of COCO's evaluation in Python.
@Suite struct PoseSimilarityTests {
  private static let box = BoundingBox(xmin: 0, ymin: 0, xmax: 100, ymax: 100)

  private static func annotation(_ points: [(String, Double, Double)]) -> KeypointAnnotation {
    KeypointAnnotation(
      keypoints: points.map { Pose.Keypoint(name: $0.0, x: $0.1, y: $0.2) }, area: 10_000, box: box)
  }

  private static func pose(_ points: [(String, Double, Double)]) -> Pose {
    Pose(keypoints: points.map { Pose.Keypoint(name: $0.0, x: $0.1, y: $0.2) }, score: 1)
  }

  @Test func `The similarity is the mean over the marked keypoints`() {
    let target = Self.annotation([("nose", 10, 10), ("left hip", 50, 50)])
    #expect(Self.pose([("nose", 10, 10), ("left hip", 50, 50)]).similarity(to: target) == 1)
    // exp(-25 / (8 · 0.026² · 10⁴)) = 0.629847, exp(-200 / (8 · 0.107² · 10⁴)) = 0.803836
    let moved = Self.pose([("nose", 13, 14), ("left hip", 60, 60), ("left knee", 900, 900)])
    #expect(abs(moved.similarity(to: target) - 0.716_841_7) < 1e-6)
    #expect(Self.pose([("nose", 10, 10)]).similarity(to: target) == 0.5)
  }

  @Test func `Without marked keypoints, the distance is that from the enlarged box`() {
    let target = Self.annotation([])
    let inside = COCOKeypoints.names.map { ($0, 150.0, -90.0) }
    #expect(Self.pose(inside).similarity(to: target) == 1)
    let outside = [("nose", 205.0, 50.0)] + inside.dropFirst()
    #expect(abs(Self.pose(outside).similarity(to: target) - 0.978_226_3) < 1e-6)
  }

  @Test func `An object without an area has no similar poses but the same`() {
    var target = Self.annotation([("nose", 10, 10)])
    target.area = 0
    #expect(Self.pose([("nose", 10, 10)]).similarity(to: target) == 1)
    #expect(Self.pose([("nose", 11, 10)]).similarity(to: target) == 0)
  }
}
