import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

@Suite struct PosenetDecoderTests {
  /// `{"max_detections": 2, "nms_radius": 10.0, "score_threshold": 0.5, "stride": 16}`.
  private static let options: [UInt8] =
    Array("max_detections\0nms_radius\0score_threshold\0stride\0".utf8)
    + [4, 50, 36, 26, 11, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 32, 65]
    + [0, 0, 0, 63, 16, 0, 0, 0, 6, 14, 14, 6, 20, 38, 1]

  /// Returns a model of the decoder alone, with a grid of 2 × 3 cells.
  private func session(type: UInt8 = 0, channels: [Int32] = [17, 34, 64]) throws -> any Session {
    let sketch = ModelSketch().changed { sketch in
      sketch.customNames = ["PosenetDecoderOp"]
      sketch.kinds = [ModelSketch.Kind.custom]
      sketch.graphs[0].tensors =
        channels.enumerated().map { index, channels in
          var tensor = TensorSketch("input \(index)", [1, 2, 3, channels])
          tensor.type = type
          if type != 0 {
            tensor.fields[4] = TensorSketch.quantization(scales: [0.5], zeroPoints: [100])
          }
          return tensor
        } + (0...channels.count).map { TensorSketch("output \($0)", []) }
      let inputs = channels.indices.map(Int32.init)
      let outputs = inputs.map { $0 + Int32(inputs.count) } + [Int32(2 * inputs.count)]
      (sketch.graphs[0].inputs, sketch.graphs[0].outputs) = (inputs, outputs)
      var entry = OperatorSketch(inputs: inputs, outputs: outputs)
      entry.fields = [5: .bytes(Self.options)]
      sketch.graphs[0].operators = [entry]
    }
    return try LiteRTBackend(customOperators: CustomOperatorRegistry())
      .model(bytes: sketch.bytes).makeSession(SessionOptions())
  }

  @Test func `The decoder is built in, and its outputs hold poses in pixels`() throws {
    let session = try session()
    var heatmaps = [Float](repeating: -10, count: 6 * 17)
    for keypoint in 0..<17 { heatmaps[4 * 17 + keypoint] = 2 }
    try session.write(heatmaps, to: 0)
    try session.write([Float](repeating: 0, count: 6 * 34), to: 1)
    try session.write([Float](repeating: 0, count: 6 * 64), to: 2)
    try session.invoke()
    let points = try session.contents(of: 0, as: Float.self)
    #expect(points.shape == [1, 2, 17, 2])
    #expect(points.values == (0..<17).flatMap { _ in [16, 16] } + Array(repeating: 0, count: 34))
    let scores = try session.contents(of: 1, as: Float.self)
    #expect(scores.shape == [1, 2, 17])
    #expect(abs(scores.values[0] - 0.880797) < 1e-6)
    #expect(try session.contents(of: 2, as: Float.self).shape == [1, 2])
    #expect(try session.contents(of: 3, as: Float.self).values == [1])
  }

  @Test func `Quantized inputs are decoded with their scale and zero point`() throws {
    let session = try session(type: 3)
    var heatmaps = [UInt8](repeating: 0, count: 6 * 17)
    for keypoint in 0..<17 { heatmaps[4 * 17 + keypoint] = 104 }
    try session.write(heatmaps, to: 0)
    try session.write([UInt8](repeating: 100, count: 6 * 34), to: 1)
    try session.write([UInt8](repeating: 100, count: 6 * 64), to: 2)
    try session.invoke()
    #expect(try session.contents(of: 3, as: Float.self).values == [1])
    #expect(try session.contents(of: 0, as: Float.self).values[..<2] == [16, 16])
    #expect(abs(try session.contents(of: 2, as: Float.self).values[0] - 0.880797) < 1e-6)
  }

  @Test func `Each cell belongs to the person that its long offsets lead to`() throws {
    let session = try session(channels: [17, 34, 64, 34])
    var heatmaps = [Float](repeating: -10, count: 6 * 17)
    for keypoint in 0..<17 {
      heatmaps[keypoint] = 3
      heatmaps[5 * 17 + keypoint] = 2
    }
    try session.write(heatmaps, to: 0)
    try session.write([Float](repeating: 0, count: 6 * 34), to: 1)
    try session.write([Float](repeating: 0, count: 6 * 64), to: 2)
    // The cell in the middle of the first row leads to the other corner: down and to the right.
    var longOffsets = [Float](repeating: 0, count: 6 * 34)
    for channel in 0..<34 { longOffsets[34 + channel] = 16 }
    try session.write(longOffsets, to: 3)
    try session.invoke()
    #expect(try session.contents(of: 3, as: Float.self).values == [2])
    let masks = try session.contents(of: 4, as: Float.self)
    #expect(masks.shape == [1, 2, 2, 3])
    #expect(masks.values == [1, 0, 0, 1, 0, 0] + [0, 1, 1, 0, 1, 1])
  }

  @Test func `A decoder without people has empty masks`() throws {
    let session = try session(channels: [17, 34, 64, 34])
    try session.write([Float](repeating: -10, count: 6 * 17), to: 0)
    for (input, channels) in [(1, 34), (2, 64), (3, 34)] {
      try session.write([Float](repeating: .nan, count: 6 * channels), to: input)
    }
    try session.invoke()
    #expect(try session.contents(of: 4, as: Float.self).values.allSatisfy { $0 == 0 })
  }

  @Test func `Inputs of other sizes are rejected`() throws {
    let error = try #require(throws: ModelError.self) { try session(channels: [17, 34, 32]) }
    #expect(error.description.contains("the custom operator 'PosenetDecoderOp' failed: "))
  }
}
