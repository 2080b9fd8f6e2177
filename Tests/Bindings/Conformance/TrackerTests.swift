import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// The project's detector with a state, whose scores are sums of colors (`Scripts/fixtures/tiny-models/conformance.py`).
@Suite struct TrackerTests {
  private static let frames = [1, 2].map {
    ProjectFiles.path("Tests/Fixtures/Conformance/images/frame-\($0).png")
  }

  private struct Expected {
    let index: Int
    let score: Double
    /// The edges, relative to the image: top, left, bottom, right.
    let box: [Double]

    /// The detections of each frame with at least the default score.
    static func frames() throws -> [[Expected]] {
      let tree = try JSONTree(
        contentsOf: ProjectFiles.path("Tests/Fixtures/Conformance/expected.json"))
      return try #require(tree["frames"]?.array).map { frame in
        try #require(frame.array).map { entry in
          Expected(
            index: Int(try #require(entry["class"]?.number)),
            score: try #require(entry["score"]?.number), box: try #require(entry["box"]?.numbers))
        }.filter { $0.score >= 0.25 }
      }
    }
  }

  private let folder: TemporaryFolder
  private let bundle: String

  /// Drafts a bundle on the command line, without changes.
  init() throws {
    folder = try TemporaryFolder()
    bundle = folder.path + "/tracker.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/Conformance/tracker.tflite")
    #expect(TestConsole.run(["init", model, "-o", bundle]).exitCode == 0)
  }

  @Test func `The number of cases is printed`() {
    CaseCount.report(
      "traffic", project: Self.frames.count, shared: SharedFixtures.areAvailable ? 2 : 0)
  }

  @Test func `The state is carried from frame to frame`() throws {
    let model = try Model(at: bundle)
    let stream = model.stream()
    let decoder = try DetectionTask(model)
    for (frame, expected) in zip(Self.frames, try Expected.frames()) {
      let found = try decoder.result(of: stream.run(ImageBuffer(contentsOf: frame)))
      #expect(!expected.isEmpty && found.map(\.index) == expected.map(\.index))
      for (detection, expected) in zip(found, expected) {
        #expect(isClose(Double(detection.score), to: expected.score, within: 0.002))
        let box = detection.box
        let edges = [box.ymin, box.xmin, box.ymax, box.xmax].map { $0 / 32 }
        #expect(isClose(edges, to: expected.box, within: 0.002))
      }
    }
  }

  @Test func `A different initial state changes the detections`() throws {
    let model = try Model(at: bundle)
    let decoder = try DetectionTask(model)
    let image = try ImageBuffer(contentsOf: Self.frames[1]).layerValue
    let memory = Numbers(.integers(Array(repeating: 60, count: 2 * 2 * 3)))
    let blank = try decoder.result(of: model.run(image))
    let remembering = try decoder.result(
      of:
        model.run([
          "image": image, "init_lstm_c": .numbers(memory), "init_lstm_h": .numbers(memory),
        ]))
    // 72 of 255 in the frame, plus 60 from each state.
    #expect(isClose(blank.map { Double($0.score) }, to: [72 / 255.0], within: 0.002))
    #expect(isClose(Double(remembering[0].score), to: 192 / 255.0, within: 0.002))
    #expect(remembering.count == 4)
  }

  @Test func `The command line carries the state across the items of a run`() throws {
    let records = try TestConsole.run(["run", bundle] + Self.frames).jsonLines()
    let expected = try Expected.frames()
    #expect(records.count == expected.count)
    for (record, expected) in zip(records, expected) {
      let found = try #require(record["outputs"]?["detections"]?.array)
      #expect(record["outputs"]?.object?.map(\.key) == ["detections"])
      #expect(found.map { $0["label"]?.string } == expected.map { "\($0.index)" })
      for (detection, expected) in zip(found, expected) {
        #expect(isClose(detection["score"]?.number ?? 0, to: expected.score, within: 0.002))
      }
    }
  }
}
