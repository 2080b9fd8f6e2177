import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// A published model that places pictures in a space where those of one kind lie close together.
@Suite(.enabled(if: SharedFixtures.areThere)) struct EmbeddingTests {
  static let model = "real/models/mobilenet_v1_1.0_224_quant_embedding_extractor.tflite"
  static let description = """
    {"name": "embedding", "details": "", "id": "embedding", "version": "1", "author": "",
     "license": "",
     "model": {"file": "model.tflite", "quantized": true, "backend": "tflite",
               "modes": ["predict"]},
     "inputs": [{"name": "image", "type": "image", "shape": [224,224,3], "format": "RGB"}],
     "outputs": [{"name": "embedding", "type": "array", "shape": [1024],
                  "dequantize": {"standard": "model"}}]}
    """

  @Test func `pictures of one kind are near, of two kinds far`() throws {
    SharedFixtures.report("embedding", 4)
    let folder = try TemporaryFolder()
    try folder.write(Self.description, to: "embedding.tiobundle/model.json")
    try folder.copy(SharedFixtures.path(Self.model), as: "embedding.tiobundle/model.tflite")
    let model = try Model(bundleAt: folder.path + "/embedding.tiobundle")
    let cat = try embedding("cat_test_0", model), otherCat = try embedding("cat_train_0", model)
    let dog = try embedding("dog_test_0", model), otherDog = try embedding("dog_train_0", model)
    #expect(isClose(distance(cat, otherCat), to: 0.671, within: 0.02))
    #expect(isClose(distance(dog, otherDog), to: 0.888, within: 0.02))
    for (cat, dog) in [(cat, dog), (cat, otherDog), (otherCat, dog), (otherCat, otherDog)] {
      #expect(distance(cat, dog) > 1.02)
    }
  }

  /// The embedding of a picture, with length one.
  private func embedding(_ name: String, _ model: Model) throws -> [Double] {
    let picture = try ImageBuffer(contentsOf: SharedFixtures.path("real/images/\(name).bmp"))
    let numbers: [Double] = try model.run(picture)["embedding"].value()
    #expect(numbers.count == 1024)
    let length = numbers.map { $0 * $0 }.reduce(0, +).squareRoot()
    return numbers.map { $0 / length }
  }

  private func distance(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).map { ($0 - $1) * ($0 - $1) }.reduce(0, +).squareRoot()
  }
}
