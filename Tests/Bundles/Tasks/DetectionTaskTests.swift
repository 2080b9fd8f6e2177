import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct DetectionTaskTests {
  private static let image = Result {
    try ImageBuffer.filled(width: 8, height: 8, red: 9, green: 9, blue: 9)
  }
  private static let fullBox: [Float] = [0, 0, 1, 1]

  private func decode(
    _ detector: Detector, _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> Detections {
    let bundle = try detector.bundle()
    let model = try detector.model(bundle)
    var decoder = try DetectionTask(model)
    change(&decoder.options)
    return try decoder.result(of: model.run(Self.image.get()))
  }

  @Test func `Outputs are identified by role, and boxes are in pixels of the image`() throws {
    let detections = try decode(
      Detector([.init(corners: [0.25, 0.5, 0.75, 1], score: 0.5, index: 3)]))
    let box = BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6)
    #expect(Array(detections) == [Detection(label: "3", index: 3, score: 0.5, box: box)])
    #expect(detections.inconsistencies.isEmpty)
    #expect(detections[0].color == .forClass(3))
  }

  @Test(arguments: [("xyxy", [0.5, 0.25, 1, 0.75]), ("cxcywh", [0.75, 0.5, 0.5, 0.5])])
  func `Corners can have another order`(order: String, corners: [Float]) throws {
    var detector = Detector([.init(corners: corners, score: 1)])
    detector.task = #"{"type": "detection", "box_order": "\#(order)"}"#
    #expect(try decode(detector)[0].box == BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6))
  }

  @Test func `Corners can be in pixels of the model's input`() throws {
    var detector = Detector([.init(corners: [1, 2, 3, 4], score: 1)])
    detector.task = #"{"type": "detection", "coordinates": "pixels"}"#
    #expect(try decode(detector)[0].box == BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6))
  }

  @Test func `Labels can have an offset`() throws {
    let rows = [0, 1, 2, -1].map { Detector.Row(corners: Self.fullBox, score: 0.5, index: $0) }
    var detector = Detector(rows)
    detector.labels = "nothing\nperson\nbicycle\n"
    detector.offset = 1
    #expect(try decode(detector).map(\.label) == ["person", "bicycle", "2", "-1"])
  }

  @Test func `Scores are calibrated by class before the threshold and the order`() throws {
    let rows = [0, 1, 2, 0].map { Detector.Row(corners: Self.fullBox, score: 0.5, index: $0) }
    var detector = Detector(rows)
    (detector.labels, detector.offset) = ("nothing\nperson\nbicycle\n", 1)
    detector.calibration = "1,0,9\n0.5,0,0\n1,0,0\n"
    let detections = try decode(detector) { $0.minimumScore = 0.25 }
    #expect(detections.map(\.label) == ["bicycle", "person", "person"])
    #expect(detections.map(\.score) == [0.5, 0.25, 0.25])
    #expect(try decode(detector).map(\.score) == [0.5, 0.25, 0.25, 0])
  }

  @Test func `The threshold is inclusive, and equal scores keep their order`() throws {
    let scores: [Float] = [0.5, 0.75, 0.4999, 0.5]
    let rows = scores.enumerated().map {
      Detector.Row(corners: Self.fullBox, score: $1, index: Float($0))
    }
    let detections = try decode(Detector(rows)) { $0.minimumScore = 0.5 }
    #expect(detections.map(\.index) == [1, 0, 3])
    #expect(try decode(Detector(rows)) { $0.top = 2 }.map(\.index) == [1, 0])
  }

  @Test func `Labels can be allowed and denied`() throws {
    let rows = [0, 1, 2].map { Detector.Row(corners: Self.fullBox, score: 0.5, index: $0) }
    var detector = Detector(rows)
    detector.labels = "cat\ndog\nbird\n"
    detector.task = #"{"type": "detection", "allow": ["dog", "bird"], "deny": ["bird"]}"#
    #expect(try decode(detector).map(\.label) == ["dog"])
  }

  @Test func `Non-finite detections are dropped and reported`() throws {
    let rows = [
      Detector.Row(corners: Self.fullBox, score: .nan),
      .init(corners: [0, .infinity, 1, 1], score: 1),
      .init(corners: Self.fullBox, score: 1, index: .nan), .init(corners: Self.fullBox, score: 0.5),
    ]
    let detections = try decode(Detector(rows))
    #expect(detections.map(\.score) == [0.5])
    #expect(detections.inconsistencies == [.nonFiniteValues(3)])
  }

  @Test(arguments: [(7, 2), (.infinity, 2), (-1, 0), (.nan, 2), (1, 1), (0, 0)] as [(Float, Int)])
  func `A count is limited to the available rows`(count: Float, expected: Int) throws {
    var detector = Detector(
      [Float(0.9), 0.8].map { Detector.Row(corners: Self.fullBox, score: $0) })
    detector.count = count
    let detections = try decode(detector)
    #expect(detections.count == expected)
    #expect(detections.inconsistencies.isEmpty == (0...2).contains(count))
  }

  @Test func `Boxes are clipped to the image, and those outside are dropped`() throws {
    let rows = [
      Detector.Row(corners: [-0.5, 0.5, 0.5, 1.5], score: 0.9),
      .init(corners: [0, 1.1, 1, 1.5], score: 0.8),
      .init(corners: [0.5, 0.5, 0.5, 0.7], score: 0.7),
    ]
    #expect(
      try decode(Detector(rows)).map(\.box) == [BoundingBox(xmin: 4, ymin: 0, xmax: 8, ymax: 4)])
  }

  @Test func `Keypoints are named and keep their order`() throws {
    var detector = Detector([.init(corners: Self.fullBox, score: 1, points: [0.25, 0.5, 0.75, 1])])
    detector.pointCount = 2
    detector.task = #"{"type": "detection", "keypoints": ["nose"]}"#
    #expect(
      try decode(detector)[0].keypoints == [
        Keypoint(name: "nose", x: 4, y: 2), Keypoint(name: "1", x: 8, y: 6),
      ])
  }

  @Test func `A model without boxes is not a detector`() throws {
    let model = try TestBundle().open(.pair)
    #expect(throws: ModelError.self) { try DetectionTask(model) }
  }
}
