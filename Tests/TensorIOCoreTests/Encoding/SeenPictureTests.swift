import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@Suite struct SeenPictureTests {
  private static let normalized = "\"normalize\": {\"standard\": \"[-1,1]\"}"

  /// A model that takes 2 × 2 pixels in three planes.
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
  func `planes of any type are told in the layer's order and mapped back`(
    _ type: ElementType, _ transform: String, _ values: [Float]
  ) throws {
    let picture = try ImageBuffer.filled(width: 4, height: 4, red: 0, green: 51, blue: 255)
    let input = picture.modelInput
    let seen = try #require(try model(type, transform).preprocessedImages(for: input).first)
    #expect(seen.elementType == type && seen.channelNames == ["blue", "green", "red"])
    for (channel, value) in zip(seen.channels, values) {
      #expect(channel.count == 4 && channel.allSatisfy { abs($0 - value) < 1e-3 }, "\(channel)")
    }
    let shown = try seen.image().converted(to: .rgb).pixels
    // A byte of such a scale does not tell all pixels apart.
    for (pixel, expected) in zip(shown.prefix(3), [0, 51, 255] as [UInt8]) {
      #expect(abs(Int(pixel) - Int(expected)) <= (type == .int8 ? 1 : 0))
    }
    #expect(seen.geometry?.modelToImage.apply(1, 1).x == 2)
  }
}
