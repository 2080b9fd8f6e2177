import TensorIOTestSupport
import Testing

@testable import TensorIOCore

@Suite struct PersonLabDecoderTests {
  /// A grid of cells in which each person's keypoints lie in a row, every second cell.
  struct Scene {
    static let (height, width) = (20, 34)
    var heatmaps = [Float](repeating: -10, count: 17 * height * width)
    var shortOffsets = [Float](repeating: 0, count: 34 * height * width)
    var midOffsets = [Float](repeating: 0, count: 64 * height * width)

    /// Adds a person whose keypoints are at cells of a row.
    mutating func add(row: Int, logit: Float = 4) {
      for keypoint in 0..<17 {
        let cell = row * Self.width + 2 * keypoint
        heatmaps[17 * cell + keypoint] = logit - Float(keypoint) / 8
      }
      for (index, edge) in PersonLabDecoder.edges.enumerated() {
        let distance = Float(16 * 2 * (edge.to - edge.from))
        midOffsets[64 * (row * Self.width + 2 * edge.from) + 16 + index] = distance
        midOffsets[64 * (row * Self.width + 2 * edge.to) + 48 + index] = -distance
      }
    }

    func poses(_ decoder: PersonLabDecoder = PersonLabDecoder()) throws -> [PersonLabDecoder.Pose] {
      let features = try #require(
        PersonLabDecoder.Features(
          height: Self.height, width: Self.width, heatmaps: heatmaps, shortOffsets: shortOffsets,
          midOffsets: midOffsets))
      return decoder.poses(in: features)
    }
  }

  @Test func `The keypoints of each person are found by following offsets`() throws {
    var scene = Scene()
    scene.add(row: 3, logit: 3)
    scene.add(row: 15, logit: 5)
    let poses = try scene.poses()
    #expect(poses.count == 2)
    #expect(poses[0].points.map(\.y) == Array(repeating: 15, count: 17))
    #expect(poses[1].points.map(\.y) == Array(repeating: 3, count: 17))
    #expect(poses[1].points.map(\.x) == (0..<17).map { Float(2 * $0) })
    #expect(abs(poses[0].scores[0] - 0.99330715) < 1e-6)
    #expect(abs(poses[0].scores[8] - 0.98201376) < 1e-6)
    let mean = poses[1].scores.reduce(0, +) / 17
    #expect(abs(poses[1].score - mean) < 1e-6)
  }

  @Test func `Short offsets move a keypoint within its neighborhood`() throws {
    var scene = Scene()
    scene.add(row: 3)
    for column in 0..<Scene.width {
      for row in 2...5 {
        let cell = row * Scene.width + column
        scene.shortOffsets[34 * cell] = 8 - 16 * Float(row - 3)
      }
    }
    let noses = try scene.poses().map { $0.points[0] }
    #expect(noses.contains(PersonLabDecoder.Point(y: 3.5, x: 0)))
  }

  @Test func `A keypoint near that of a better pose does not begin a pose`() throws {
    var scene = Scene()
    scene.add(row: 3, logit: 5)
    scene.add(row: 5, logit: 3)
    var decoder = PersonLabDecoder()
    #expect(try scene.poses(decoder).count == 2)
    decoder.nmsRadius = 33
    #expect(try scene.poses(decoder).count == 1)
  }

  @Test func `A keypoint at the place of a better pose does not count`() throws {
    var scene = Scene()
    scene.add(row: 3, logit: 5)
    scene.add(row: 15, logit: 3)
    // The right ankle of the second person is where that of the first one is.
    scene.midOffsets[64 * (15 * Scene.width + 2 * 14) + 15] = -16 * 12
    scene.heatmaps[17 * (15 * Scene.width + 2 * 16) + 16] = -10
    let poses = try scene.poses()
    #expect(poses.count == 2)
    #expect(poses[1].points[16] == PersonLabDecoder.Point(y: 3, x: 32))
    #expect(poses[1].scores[16] > 0.5)
    let mean = poses[1].scores.reduce(0, +) / 17
    #expect(abs(poses[1].score - poses[1].scores.dropLast().reduce(0, +) / 17) < 1e-6)
    // The minimum score holds without this keypoint.
    var decoder = PersonLabDecoder()
    decoder.poseThreshold = (poses[1].score + mean) / 2
    #expect(try scene.poses(decoder).map(\.points) == [poses[0].points])
  }

  @Test func `Poses begin only at keypoints above the threshold`() throws {
    var scene = Scene()
    scene.add(row: 3, logit: 0)
    var decoder = PersonLabDecoder()
    decoder.scoreThreshold = 0.6
    #expect(try scene.poses(decoder).isEmpty)
    decoder.scoreThreshold = 0.4
    #expect(try scene.poses(decoder).count == 1)
    decoder.scoreThreshold = 1
    #expect(try scene.poses(decoder).isEmpty)
  }

  @Test func `A pose has to have the minimum score`() throws {
    var scene = Scene()
    scene.add(row: 3, logit: 5)
    scene.add(row: 5, logit: 3)
    let scores = try scene.poses().map(\.score)
    var decoder = PersonLabDecoder()
    decoder.poseThreshold = (scores[0] + scores[1]) / 2
    #expect(try scene.poses(decoder).map(\.score) == [scores[0]])
  }

  @Test func `The number of poses is limited`() throws {
    var scene = Scene()
    for row in stride(from: 1, through: 17, by: 4) { scene.add(row: row) }
    var decoder = PersonLabDecoder()
    #expect(try scene.poses(decoder).count == 5)
    decoder.maxPoses = 2
    #expect(try scene.poses(decoder).count == 2)
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
  func `Offsets and logits that are not finite are decoded without a crash`(
    _ value: Float
  ) throws {
    var scene = Scene()
    scene.add(row: 3)
    scene.shortOffsets = scene.shortOffsets.map { _ in value }
    scene.midOffsets = scene.midOffsets.map { _ in -value }
    #expect(try !scene.poses().isEmpty)
    scene.heatmaps = scene.heatmaps.map { _ in value }
    _ = try scene.poses()
  }

  @Test func `Features of other sizes are rejected`() {
    #expect(
      PersonLabDecoder.Features(
        height: 2, width: 2, heatmaps: [], shortOffsets: [], midOffsets: []) == nil)
    #expect(
      PersonLabDecoder.Features(
        height: .max, width: 2, heatmaps: [], shortOffsets: [], midOffsets: []) == nil)
  }
}
