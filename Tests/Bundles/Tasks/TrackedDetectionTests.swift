import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

/// The detections of a stream with numbers and counts.
@Suite struct TrackedDetectionTests {
  private static let image = Result {
    try ImageBuffer.filled(width: 100, height: 100, red: 9, green: 9, blue: 9)
  }

  private static let request = TrackingRequest(
    lines: [.init(from: .init(x: 50, y: 100), to: .init(x: 50, y: 0))],
    zones: [[.init(x: 0, y: 0), .init(x: 50, y: 0), .init(x: 50, y: 100), .init(x: 0, y: 100)]])

  /// A detector of one object whose left edge is at a position.
  private static func detector(_ x: Float, score: Float = 0.9) -> Detector {
    var detector = Detector([.init(corners: [0.4, x / 100, 0.6, (x + 20) / 100], score: score)])
    detector.task = #"{"type": "detection", "threshold": 0.5}"#
    return detector
  }

  /// Returns the results of frames whose object has some positions and scores.
  private func results(
    _ frames: [(x: Float, score: Float)], tracking: TrackingRequest? = request
  ) throws -> [DetectionResult] {
    var smoother: (any ResultSmoother)?
    return try frames.enumerated().map { index, frame in
      let detector = Self.detector(frame.x, score: frame.score)
      let bundle = try detector.bundle()
      let model = try detector.model(bundle)
      var options = ResultOptions()
      options.tracking = tracking
      let postprocessor = try TaskPostprocessor(model, options)
      #expect(postprocessor.canTrack)
      smoother = smoother ?? postprocessor.makeSmoother()
      let result = try #require(try postprocessor.process(model.run(Self.image.get())).result)
      return try #require(
        (smoother?.smooth(result, at: Double(index)) ?? result) as? DetectionResult)
    }
  }

  private func json(_ write: (inout JSONWriter) -> Void) throws -> JSONTree {
    var writer = JSONWriter()
    write(&writer)
    return try JSONTree(writer.string)
  }

  @Test func `Detections have the number of their object, in JSON, text and overlays`() throws {
    let result = try #require(try results([(10, 0.9), (12, 0.9)]).last)
    #expect(try json(result.write)[0]?["id"]?.number == 1)
    #expect(result.summary.hasPrefix("(0.90) 0 #1 · line 1: 0 to the right"))
    #expect(result.textLines[1].contains("0 #1"))
    let labels = result.overlay.elements.compactMap { element -> String? in
      if case .box(let box) = element { box.label } else { nil }
    }
    #expect(labels == ["0 #1"])
    // A line and a zone with their counts.
    #expect(result.overlay.elements.count == 3)
  }

  @Test func `Lines and zones are counted`() throws {
    let result = try #require(
      try results(stride(from: 20, through: 60, by: 5).map { ($0, 0.9) }).last)
    let counts = try json { writer in
      writer.object { result.json?.recordMembers?(&$0) }
    }["counts"]
    #expect(counts?["objects"]?.number == 1)
    #expect(counts?["lines"]?[0]?["left_to_right"]?.number == 1)
    #expect(counts?["lines"]?[0]?["right_to_left"]?.number == 0)
    #expect(counts?["lines"]?[0]?["from"]?.array?.compactMap(\.number) == [50, 100])
    #expect(counts?["zones"]?[0]?["entered"]?.number == 1)
    #expect(counts?["zones"]?[0]?["exited"]?.number == 1)
    #expect(counts?["zones"]?[0]?["inside"]?.number == 0)
    #expect(counts?["zones"]?[0]?["corners"]?.array?.count == 4)
  }

  @Test func `A detection below the threshold is included only if it continues an object`() throws {
    #expect(try results([(10, 0.3), (10, 0.3)]).map(\.detections.count) == [0, 0])
    #expect(try results([(10, 0.9), (10, 0.3), (10, 0.05)]).map(\.detections.count) == [1, 1, 0])
  }

  @Test func `A detection that is not confirmed has no number`() throws {
    let results = try results([(10, 0.05), (10, 0.9), (10, 0.9)])
    #expect(results.map(\.detections.count) == [0, 1, 1])
    #expect(try json(results[1].write)[0]?["id"] == nil)
    #expect(try json(results[2].write)[0]?["id"]?.number == 1)
  }

  @Test func `Without tracking, nothing is added`() throws {
    let results = try results([(10, 0.9), (10, 0.3)], tracking: nil)
    #expect(results.map(\.detections.count) == [1, 0])
    #expect(try json(results[0].write)[0]?["id"] == nil && results[0].counts == nil)
    #expect(results[0].summary == "(0.90) 0" && results[0].overlay.elements.count == 1)
  }
}
