import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct DetectionReaderTests {
  private static let picture = Result {
    try ImageBuffer.filled(width: 8, height: 8, red: 9, green: 9, blue: 9)
  }
  private static let whole: [Float] = [0, 0, 1, 1]

  private func read(
    _ detector: Detector, _ change: (inout DetectionOptions) -> Void = { _ in }
  ) throws -> Detections {
    let bundle = try detector.bundle()
    let model = try detector.model(bundle)
    var reader = try DetectionDecoder(model)
    change(&reader.options)
    return try reader.decode(model.run(Self.picture.get()))
  }

  @Test func `outputs are told by their roles, and boxes are in the picture's own pixels`() throws {
    let found = try read(Detector([.init(corners: [0.25, 0.5, 0.75, 1], score: 0.5, index: 3)]))
    let box = BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6)
    #expect(Array(found) == [Detection(label: "3", index: 3, score: 0.5, box: box)])
    #expect(found.inconsistencies.isEmpty)
    #expect(found[0].color == .forClass(3))
  }

  @Test(arguments: [("xyxy", [0.5, 0.25, 1, 0.75]), ("cxcywh", [0.75, 0.5, 0.5, 0.5])])
  func `corners may stand in another order`(order: String, corners: [Float]) throws {
    var detector = Detector([.init(corners: corners, score: 1)])
    detector.task = #"{"type": "detection", "box_order": "\#(order)"}"#
    #expect(try read(detector)[0].box == BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6))
  }

  @Test func `corners may be pixels of the model's picture`() throws {
    var detector = Detector([.init(corners: [1, 2, 3, 4], score: 1)])
    detector.task = #"{"type": "detection", "coordinates": "pixels"}"#
    #expect(try read(detector)[0].box == BoundingBox(xmin: 4, ymin: 2, xmax: 8, ymax: 6))
  }

  @Test func `the label of a class may stand in a later line`() throws {
    let rows = [0, 1, 2, -1].map { Detector.Row(corners: Self.whole, score: 0.5, index: $0) }
    var detector = Detector(rows)
    detector.labels = "nothing\nperson\nbicycle\n"
    detector.offset = 1
    #expect(try read(detector).map(\.label) == ["person", "bicycle", "2", "-1"])
  }

  @Test func `a score may equal the threshold, and equal scores stay in order`() throws {
    let scores: [Float] = [0.5, 0.75, 0.4999, 0.5]
    let rows = scores.enumerated().map {
      Detector.Row(corners: Self.whole, score: $1, index: Float($0))
    }
    let found = try read(Detector(rows)) { $0.threshold = 0.5 }
    #expect(found.map(\.index) == [1, 0, 3])
    #expect(try read(Detector(rows)) { $0.top = 2 }.map(\.index) == [1, 0])
  }

  @Test func `labels may be allowed and denied`() throws {
    let rows = [0, 1, 2].map { Detector.Row(corners: Self.whole, score: 0.5, index: $0) }
    var detector = Detector(rows)
    detector.labels = "cat\ndog\nbird\n"
    detector.task = #"{"type": "detection", "allow": ["dog", "bird"], "deny": ["bird"]}"#
    #expect(try read(detector).map(\.label) == ["dog"])
  }

  @Test func `what is no number is dropped and told`() throws {
    let rows = [
      Detector.Row(corners: Self.whole, score: .nan),
      .init(corners: [0, .infinity, 1, 1], score: 1),
      .init(corners: Self.whole, score: 1, index: .nan), .init(corners: Self.whole, score: 0.5),
    ]
    let found = try read(Detector(rows))
    #expect(found.map(\.score) == [0.5])
    #expect(found.inconsistencies == [.nonFiniteValues(3)])
  }

  @Test(arguments: [(7, 2), (.infinity, 2), (-1, 0), (.nan, 2), (1, 1), (0, 0)] as [(Float, Int)])
  func `a count beyond the tensors ends with them`(count: Float, expected: Int) throws {
    var detector = Detector(
      [Float(0.9), 0.8].map { Detector.Row(corners: Self.whole, score: $0) })
    detector.count = count
    let found = try read(detector)
    #expect(found.count == expected)
    #expect(found.inconsistencies.isEmpty == (0...2).contains(count))
  }

  @Test func `boxes are clipped to the picture, and those outside are dropped`() throws {
    let rows = [
      Detector.Row(corners: [-0.5, 0.5, 0.5, 1.5], score: 0.9),
      .init(corners: [0, 1.1, 1, 1.5], score: 0.8),
      .init(corners: [0.5, 0.5, 0.5, 0.7], score: 0.7),
    ]
    #expect(try read(Detector(rows)).map(\.box) == [BoundingBox(xmin: 4, ymin: 0, xmax: 8, ymax: 4)])
  }

  @Test func `points come with their boxes, in their order and under their names`() throws {
    var detector = Detector([.init(corners: Self.whole, score: 1, points: [0.25, 0.5, 0.75, 1])])
    detector.pointCount = 2
    detector.task = #"{"type": "detection", "keypoints": ["nose"]}"#
    #expect(
      try read(detector)[0].keypoints == [
        Keypoint(name: "nose", x: 4, y: 2), Keypoint(name: "1", x: 8, y: 6),
      ])
  }

  @Test func `a model without boxes is no detector`() throws {
    let model = try TestBundle().open(.pair)
    #expect(throws: ModelError.self) { try DetectionDecoder(model) }
  }
}
