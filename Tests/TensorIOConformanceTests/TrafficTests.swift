import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// A published detector that remembers the frame before.
@Suite(.enabled(if: SharedFixtures.areAvailable)) struct TrafficTests {
  private static let frames = ["traffic_0001", "traffic_0002"].map {
    SharedFixtures.path("real/images/\($0).bmp")
  }

  /// A bundle that the command has drafted by itself.
  private func bundle(_ folder: TemporaryFolder) throws -> String {
    let target = folder.path + "/traffic.tiobundle"
    let model = SharedFixtures.path("real/models/traffic_model.tflite")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    return target
  }

  /// The reference's two surest of a frame: class, score, and the surest one's edges as shares.
  private static let expected: [(scores: [Double], edges: [Double])] = [
    ([0.414, 0.395], [0.556, 0.846, 0.742, 1]), ([0.457, 0.375], [0.558, 0.825, 0.744, 1]),
  ]

  @Test func `its memory is carried from frame to frame`() throws {
    SharedFixtures.report("traffic", Self.frames.count)
    let folder = try TemporaryFolder()
    let model = try Model(bundleAt: bundle(folder))
    var stream = StatefulModel(model)
    let reader = try DetectionDecoder(model)
    for (frame, expected) in zip(Self.frames, Self.expected) {
      let found = try reader.decode(stream.run(ImageBuffer(contentsOf: frame)))
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

  /// On these two frames the model gives back zeros, so that only another start shows in its answer.
  @Test func `what it is told to remember changes what it finds`() throws {
    let folder = try TemporaryFolder()
    let model = try Model(bundleAt: bundle(folder))
    let reader = try DetectionDecoder(model)
    let picture = try ImageBuffer(contentsOf: Self.frames[1]).layerValue
    let memory = Numbers(.integers(Array(repeating: 100, count: 8 * 8 * 320)))
    let blank = try reader.decode(model.run(picture))
    let remembering = try reader.decode(
      model.run([
        "image": picture, "init_lstm_c": .numbers(memory), "init_lstm_h": .numbers(memory),
      ]))
    #expect(isClose(Double(blank[1].score), to: 0.375, within: 0.005))
    #expect(blank.map(\.score) != remembering.map(\.score))
  }

  @Test func `the command carries it over the items of a run`() throws {
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
