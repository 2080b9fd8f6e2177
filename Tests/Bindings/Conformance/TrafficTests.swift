import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// A published detector with a state that is carried to the next frame.
@Suite(.enabled(if: SharedFixtures.areAvailable)) struct TrafficTests {
  private static let frames = ["traffic_0001", "traffic_0002"].map {
    SharedFixtures.path("real/images/\($0).bmp")
  }

  /// A bundle that was drafted by the command line without changes.
  private func bundle(_ folder: TemporaryFolder) throws -> String {
    let target = folder.path + "/traffic.tiobundle"
    let model = SharedFixtures.path("real/models/traffic_model.tflite")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    return target
  }

  /// The two best reference detections of a frame: class, score, and the relative edges of the best
  /// one.
  private static let expected: [(scores: [Double], edges: [Double])] = [
    ([0.414, 0.395], [0.556, 0.846, 0.742, 1]), ([0.457, 0.375], [0.558, 0.825, 0.744, 1]),
  ]

  @Test func `The state is carried from frame to frame`() throws {
    let folder = try TemporaryFolder()
    let model = try Model(at: bundle(folder))
    let stream = model.stream()
    let reader = try DetectionTask(model)
    for (frame, expected) in zip(Self.frames, Self.expected) {
      let found = try reader.result(of: stream.run(ImageBuffer(contentsOf: frame)))
      #expect(found.prefix(2).map(\.index) == [1, 0])
      for (detection, score) in zip(found, expected.scores) {
        #expect(isClose(Double(detection.score), to: score, within: 0.005))
      }
      let box = found[0].box
      for (edge, share) in zip([box.ymin, box.xmin, box.ymax, box.xmax], expected.edges) {
        #expect(isClose(edge / 256, to: share, within: 0.002))
      }
    }
  }

  /// The state after these two frames is zero, so only another initial state changes the output.
  @Test func `A different initial state changes the detections`() throws {
    let folder = try TemporaryFolder()
    let model = try Model(at: bundle(folder))
    let reader = try DetectionTask(model)
    let image = try ImageBuffer(contentsOf: Self.frames[1]).layerValue
    let memory = Numbers(.integers(Array(repeating: 100, count: 8 * 8 * 320)))
    let blank = try reader.result(of: model.run(image))
    let remembering = try reader.result(
      of:
        model.run([
          "image": image, "init_lstm_c": .numbers(memory), "init_lstm_h": .numbers(memory),
        ]))
    #expect(isClose(Double(blank[1].score), to: 0.375, within: 0.005))
    #expect(blank.map(\.score) != remembering.map(\.score))
  }

  @Test func `The command line carries the state across the items of a run`() throws {
    let folder = try TemporaryFolder()
    let records = try TestConsole.run(["run", try bundle(folder)] + Self.frames).jsonLines()
    #expect(records.count == 2)
    for (record, expected) in zip(records, Self.expected) {
      let found = try #require(record["outputs"]?["detections"]?.array)
      #expect(record["outputs"]?.object?.map(\.key) == ["detections"])
      #expect(found.prefix(2).map { $0["label"]?.string } == ["1", "0"])
      for (detection, score) in zip(found, expected.scores) {
        #expect(isClose(detection["score"]?.number ?? 0, to: score, within: 0.005))
      }
      let left = found[0]["box"]?["xmin"]?.number ?? 0
      #expect(isClose(left / 256, to: expected.edges[1], within: 0.002))
    }
  }
}
