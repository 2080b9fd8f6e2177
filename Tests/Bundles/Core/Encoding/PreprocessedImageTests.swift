import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@Suite struct PreprocessedImageTests {
  private static let normalized = "\"normalize\": {\"standard\": \"[-1,1]\"}"

  /// A model with an input of 2 × 2 pixels in three planes.
  private func model(_ type: ElementType, _ transform: String) throws -> Model {
    let layer = """
      {"name": "x", "type": "image", "shape": [3,2,2], "format": "BGR", "layout": "NCHW",
       \(transform)}
      """
    let bundle = try TestBundle(inputs: layer)
    let quantization = TensorQuantization(scale: 0.01, zeroPoint: 0)
    let tensor = TensorInfo(
      name: "x", elementType: type, shape: [1, 3, 2, 2],
      quantization: type == .int8 ? quantization : nil)
    let output = TensorInfo(name: "y", elementType: .float32, shape: [2])
    let fake = FakeModel(inputs: [tensor], outputs: [output]) { _ in [[]] }
    return try Model(ModelBundle(at: bundle.path), on: FakeBackend(fake))
  }

  @Test(
    arguments: [
      (ElementType.float32, normalized, [1, -0.6, -1]), (.float16, normalized, [1, -0.6, -1]),
      (.uint8, "\"fit\": \"crop\"", [255, 51, 0]), (.int8, "\"fit\": \"crop\"", [127, -77, -128]),
      (.int8, normalized, [100, -60, -100]),
    ] as [(ElementType, String, [Float])])
  func `Channels of any type and layout are returned in the layer's order`(
    _ type: ElementType, _ transform: String, _ values: [Float]
  ) throws {
    let image = try ImageBuffer.filled(width: 4, height: 4, red: 0, green: 51, blue: 255)
    let input = image.modelInput
    let preprocessed = try #require(try model(type, transform).preprocessedImages(for: input).first)
    #expect(
      preprocessed.elementType == type && preprocessed.channelNames == ["blue", "green", "red"])
    for (channel, value) in zip(preprocessed.channels, values) {
      #expect(channel.count == 4 && channel.allSatisfy { abs($0 - value) < 1e-3 }, "\(channel)")
    }
    let shown = try preprocessed.image().converted(to: .rgb).pixels
    // With this scale, bytes do not distinguish all pixel values.
    for (pixel, expected) in zip(shown.prefix(3), [0, 51, 255] as [UInt8]) {
      #expect(abs(Int(pixel) - Int(expected)) <= (type == .int8 ? 1 : 0))
    }
    #expect(preprocessed.geometry?.modelToImage.apply(1, 1).x == 2)
  }
}
