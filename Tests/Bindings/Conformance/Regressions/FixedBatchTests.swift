import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Image layers whose tensor contains more than one image.
@Suite struct FixedBatchTests {
  static func model(batch: Int) throws -> Model {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      {"name": "x", "details": "", "id": "x", "version": "1", "author": "", "license": "",
       "model": {"file": "x", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       "inputs": [{"name": "x", "type": "image", "shape": [\(batch),2,1,3], "format": "RGB"}],
       "outputs": [{"name": "y", "type": "array", "shape": [\(batch * 6)]}]}
      """, to: "x.tiobundle/model.json")
    try folder.write("", to: "x.tiobundle/x")
    let tensor = TensorInfo(
      name: "x", elementType: .float32, shape: TensorShape(signedDimensions: [batch, 2, 1, 3]))
    let bundle = try ModelBundle(at: String(path.dropLast("/model.json".count)))
    return try Model(bundle, on: FakeBackend(.identity(tensor)))
  }

  static let sampleImage = Result { () throws(ImageError) in
    try ImageBuffer(width: 1, height: 2, format: .rgb, pixels: [1, 2, 3, 4, 5, 6])
  }

  @Test func `A fixed batch of one accepts an image`() throws {
    let values: [Float] = try Self.model(batch: 1).run(Self.sampleImage.get())["y"].value()
    #expect(values == [1, 2, 3, 4, 5, 6])
  }

  @Test func `A fixed batch of two rejects a single image`() throws {
    let model = try Self.model(batch: 2)
    let sampleImage = try Self.sampleImage.get()
    let error = #expect(throws: ModelError.self) { try model.run(sampleImage) }
    #expect(error?.description == "layer 'x': expected 2 images, got an image")
  }

  @Test func `A fixed batch of two accepts the pixels of both images`() throws {
    let pixels = (1...12).map(Float.init)
    let values: [Float] = try Self.model(batch: 2).run(pixels)["y"].value()
    #expect(values == pixels)
  }
}
