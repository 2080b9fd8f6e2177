import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Image layers whose tensor holds more than one picture.
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

  static let picture = Result { () throws(ImageError) in
    try ImageBuffer(width: 1, height: 2, format: .rgb, pixels: [1, 2, 3, 4, 5, 6])
  }

  @Test func `a batch of one takes a picture`() throws {
    let values: [Float] = try Self.model(batch: 1).run(Self.picture.get())["y"].value()
    #expect(values == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a batch of two does not take one picture for both`() throws {
    let model = try Self.model(batch: 2)
    let picture = try Self.picture.get()
    let error = #expect(throws: ModelError.self) { try model.run(picture) }
    #expect(error?.description == "layer 'x': expected 2 pictures, got a picture")
  }

  @Test func `a batch of two takes the pixels of both`() throws {
    let pixels = (1...12).map(Float.init)
    let values: [Float] = try Self.model(batch: 2).run(pixels)["y"].value()
    #expect(values == pixels)
  }
}
