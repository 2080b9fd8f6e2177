import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

@Suite struct ObjectTrackerTests {
  private static func detection(
    _ x: Double, _ y: Double = 0, size: Double = 20, score: Float = 0.9, index: Int = 0
  ) -> Detection {
    Detection(
      label: "\(index)", index: index, score: score,
      box: BoundingBox(xmin: x, ymin: y, xmax: x + size, ymax: y + size))
  }

  @Test func `Objects of a synthetic scene are those of a reference implementation of ByteTrack`()
    throws
  {
    let file = URL(filePath: ProjectFiles.path("Tests/Fixtures/Tracking/scene.json"))
    let frames = try JSONDecoder().decode([[[Double]]].self, from: Data(contentsOf: file))
    var tracker = ObjectTracker()
    for (number, rows) in frames.enumerated() {
      let assigned = tracker.assign(
        rows.map { row in
          Detection(
            label: "", index: 0, score: Float(row[4]),
            box: BoundingBox(xmin: row[0], ymin: row[1], xmax: row[2], ymax: row[3]))
        })
      let ids = Dictionary(uniqueKeysWithValues: assigned.map { ($0.detectionIndex, $0.object.id) })
      #expect(rows.indices.map { ids[$0] ?? 0 } == rows.map { Int($0[5]) }, "frame \(number)")
    }
    #expect(frames.count == 120 && tracker.objectCount == 22)
  }

  @Test func `An object keeps its number while it moves, and its age grows`() throws {
    var tracker = ObjectTracker()
    for frame in 1...20 {
      let objects = tracker.update(with: [Self.detection(Double(frame) * 5)])
      let object = try #require(objects.first)
      #expect(objects.count == 1 && object.id == 1 && object.age == frame)
      #expect(object.state == .detected && object.detection.box.xmin == Double(frame) * 5)
    }
  }

  @Test func `An object is confirmed in its second frame, except in the first frame of a video`() {
    var tracker = ObjectTracker()
    #expect(tracker.update(with: [Self.detection(0)]).map(\.id) == [1])
    let both = [Self.detection(0), Self.detection(100)]
    #expect(tracker.update(with: both).map(\.id) == [1])
    #expect(tracker.update(with: both).map(\.id) == [1, 2])

    var patient = ObjectTracker(options: TrackerOptions(confirmationFrames: 4))
    _ = patient.update(with: [])
    let counts = (0..<5).map { _ in patient.update(with: [Self.detection(0)]).count }
    #expect(counts == [0, 0, 0, 1, 1])
  }

  @Test func `A detection in the place of an object that is lost in the same frame gets no number`()
  {
    var tracker = ObjectTracker(
      options: TrackerOptions(
        minimumHighScore: 0.1, minimumNewObjectScore: 0.1, confirmationFrames: 1))
    #expect(tracker.update(with: [Self.detection(0)]).map(\.id) == [1])
    #expect(tracker.update(with: [Self.detection(0, score: 0.15)]).isEmpty)
    #expect(tracker.objectCount == 1)
    #expect(tracker.update(with: [Self.detection(0), Self.detection(100)]).map(\.id) == [1, 2])
  }

  @Test func `A detection that is not confirmed at once is no object`() {
    var tracker = ObjectTracker()
    _ = tracker.update(with: [])
    for _ in 0..<5 {
      #expect(tracker.update(with: [Self.detection(0)]).isEmpty)
      #expect(tracker.update(with: []).isEmpty)
    }
    #expect(tracker.objectCount == 0 && tracker.objects.isEmpty)
  }

  @Test func `An object that is hidden keeps its number, up to the maximum number of frames`() {
    for hidden in [1, 9, 10, 12] {
      var tracker = ObjectTracker(options: TrackerOptions(maxLostFrames: 10))
      for frame in 0..<10 { _ = tracker.update(with: [Self.detection(Double(frame))]) }
      for _ in 0..<hidden { #expect(tracker.update(with: []).isEmpty) }
      #expect(tracker.objects.map(\.state) == (hidden > 10 ? [] : [.lost]))
      for _ in 0..<2 {
        _ = tracker.update(with: [Self.detection(10 + Double(hidden))])
      }
      #expect(tracker.objects.map(\.id) == [hidden > 10 ? 2 : 1], "\(hidden) frames")
    }
  }

  @Test func `A lost object moves on with its last speed`() throws {
    var tracker = ObjectTracker()
    for frame in 0..<30 { _ = tracker.update(with: [Self.detection(Double(frame) * 4)]) }
    for _ in 0..<5 { _ = tracker.update(with: []) }
    let lost = try #require(tracker.objects.first)
    #expect(lost.state == .lost && abs(lost.detection.box.xmin - 34 * 4) < 4)
  }

  @Test func `Detections with low scores continue objects and start none`() {
    var tracker = ObjectTracker()
    let weak = [Self.detection(0, score: 0.2)]
    for _ in 0..<3 { #expect(tracker.update(with: weak).isEmpty) }
    for _ in 0..<2 { _ = tracker.update(with: [Self.detection(0)]) }
    for _ in 0..<3 { #expect(tracker.update(with: weak).map(\.id) == [1]) }
    #expect(tracker.update(with: [Self.detection(0, score: 0.05)]).isEmpty)
  }

  @Test func `Objects of different classes are not exchanged, unless classes do not matter`() {
    for isAgnostic in [false, true] {
      var tracker = ObjectTracker(options: TrackerOptions(isClassAgnostic: isAgnostic))
      _ = tracker.update(with: [Self.detection(0, index: 0)])
      let other = [Self.detection(0, index: 1)]
      #expect(tracker.update(with: other).map(\.id) == (isAgnostic ? [1] : []))
      #expect(tracker.update(with: other).map(\.id) == (isAgnostic ? [1] : [2]))
    }
  }

  @Test func `Boxes and scores that are not finite are ignored`() {
    var tracker = ObjectTracker()
    let good = Self.detection(0)
    var bad: [Detection] = []
    for value in [Double.nan, .infinity, -.infinity, 1e300] {
      for edge in [\BoundingBox.xmin, \.ymin, \.xmax, \.ymax] {
        bad.append(good)
        bad[bad.count - 1].box[keyPath: edge] = value
      }
    }
    for score in [Float.nan, .infinity, -.infinity] { bad.append(Self.detection(0, score: score)) }
    bad.append(Self.detection(0, size: 0))
    bad.append(Self.detection(0, size: -5))
    for _ in 0..<3 {
      let objects = tracker.update(with: bad + [good])
      #expect(objects.contains { $0.detection == good })
      #expect(objects.allSatisfy { $0.detection.box.area.isFinite })
    }
    #expect(tracker.update(with: bad).allSatisfy { $0.detection.box.isFinite })
  }

  @Test func `The number of objects is bounded`() {
    var random = SeededGenerator(seed: 7)
    var tracker = ObjectTracker(options: TrackerOptions(confirmationFrames: 1, maxCount: 20))
    for _ in 0..<50 {
      let detections = (0..<60).map { _ in
        Self.detection(
          .random(in: 0..<10_000, using: &random), .random(in: 0..<10_000, using: &random),
          score: .random(in: 0...1, using: &random))
      }
      #expect(tracker.update(with: detections).count <= 20)
      #expect(tracker.objects.count <= 20)
    }
  }
}
