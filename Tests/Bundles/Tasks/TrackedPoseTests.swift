import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// The poses of a stream with numbers and counts.
@Suite struct TrackedPoseTests {
  private static let request = TrackingRequest(
    lines: [.init(from: .init(x: 50, y: 100), to: .init(x: 50, y: 0))])

  /// Returns the result of a frame with two people, whose keypoints are corners of boxes of 20 by 20 pixels.
  private func frame(
    _ lefts: [Float], scores: [Float], _ smoother: inout (any ResultSmoother)?,
    tracking: TrackingRequest? = request, smooth: Bool = false, at seconds: Double = 0
  ) throws -> PoseResult {
    let count = lefts.count
    let bundle = try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [100, 100, 3], "format": "RGB"}"#,
      outputs: """
        {"name": "p", "type": "array", "shape": [1, \(count), 2, 2], "role": "keypoints"},
        {"name": "k", "type": "array", "shape": [1, \(count), 2], "role": "keypoint_scores"},
        {"name": "s", "type": "array", "shape": [1, \(count)], "role": "scores"}
        """,
      extra: """
        "task": {"type": "pose", "format": "decoded", "label": "person", "threshold": 0.5, "smooth": \(smooth)}
        """)
    let points: [Float] = lefts.flatMap { [40, $0, 60, $0 + 20] }
    let shapes = [[1, count, 2, 2], [1, count, 2], [1, count]]
    let model = try bundle.open(
      FakeModel(
        inputs: [TensorInfo(name: "i", elementType: .uint8, shape: [1, 100, 100, 3])],
        outputs: shapes.map {
          TensorInfo(name: "o", elementType: .float32, shape: TensorShape($0))
        }
      ) { _ in
        [points.rawBytes, [Float](repeating: 1, count: 2 * count).rawBytes, scores.rawBytes]
      })
    var options = ResultOptions()
    options.tracking = tracking
    let postprocessor = try TaskPostprocessor(model, options)
    #expect(postprocessor.canTrack)
    smoother = smoother ?? postprocessor.makeSmoother()
    let image = try ImageBuffer.filled(width: 100, height: 100, red: 9, green: 9, blue: 9)
    let result = try #require(try postprocessor.process(model.run(image)).result)
    return try #require((smoother?.smooth(result, at: seconds) ?? result) as? PoseResult)
  }

  @Test func `Poses keep the number of their object, whatever their order`() throws {
    var smoother: (any ResultSmoother)?
    let first = try frame([10, 70], scores: [0.9, 0.8], &smoother)
    let second = try frame([72, 12], scores: [0.9, 0.8], &smoother)
    #expect(first.ids == [1, 2] && second.ids == [2, 1])
    #expect(second.summary.hasPrefix("(0.90) person #2, (0.80) person #1 · line 1"))
    #expect(second.textLines[1].contains("person #2"))
    var writer = JSONWriter()
    second.write(to: &writer)
    #expect(try JSONTree(writer.string)[0]?["id"]?.number == 2)
  }

  @Test func `A pose with a low score continues an object, but starts none`() throws {
    var smoother: (any ResultSmoother)?
    _ = try frame([10, 70], scores: [0.9, 0.3], &smoother)
    let second = try frame([11, 70], scores: [0.3, 0.3], &smoother)
    #expect(second.poses.count == 1 && second.ids == [1])
  }

  @Test func `Poses that cross a line are counted`() throws {
    var smoother: (any ResultSmoother)?
    var last: PoseResult?
    for left in stride(from: Float(20), through: 60, by: 5) {
      last = try frame([left], scores: [0.9], &smoother)
    }
    var writer = JSONWriter()
    writer.object { last?.json?.recordMembers?(&$0) }
    let counts = try JSONTree(writer.string)["counts"]
    #expect(counts?["objects"]?.number == 1)
    #expect(last?.summary.contains("1 to the right") == true)
  }

  @Test func `Poses are followed and smoothed together`() throws {
    var smoother: (any ResultSmoother)?
    _ = try frame([10], scores: [0.9], &smoother, smooth: true)
    let second = try frame([14], scores: [0.9], &smoother, smooth: true, at: 0.04)
    #expect(second.ids == [1])
    #expect(second.poses[0].keypoints[0].x < 14)
    var only: (any ResultSmoother)?
    let untracked = try frame([10], scores: [0.9], &only, tracking: nil, smooth: true)
    #expect(untracked.ids.isEmpty && only != nil)
  }
}
