import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Models whose embeddings of similar images are close together.
@Suite struct EmbeddingTests {
  static let model = "real/models/mobilenet_v1_1.0_224_quant_embedding_extractor.tflite"
  static let description = """
    {"name": "embedding", "details": "", "id": "embedding", "version": "1", "author": "",
     "license": "",
     "model": {"file": "model.tflite", "quantized": true, "backend": "tflite",
               "modes": ["predict"]},
     "inputs": [{"name": "image", "type": "image", "shape": [224,224,3], "format": "RGB"}],
     "outputs": [{"name": "embedding", "type": "array", "shape": [1024],
                  "role": "embedding", "dequantize": {"standard": "model"}}],
     "task": {"type": "embedding", "threshold": 1}}
    """

  @Test func `Distances of embeddings are those of the images' colors`() throws {
    CaseCount.report("embedding", project: 4, shared: SharedFixtures.areAvailable ? 4 : 0)
    let fixtures = ProjectFiles.path("Tests/Fixtures/Conformance")
    let model = try Model(at: "\(fixtures)/quarters.tiobundle")
    let decoder = try EmbeddingTask(model)
    var embeddings: [String: Embedding] = [:]
    for name in ["warm-1", "warm-2", "cold-1", "cold-2"] {
      let image = try ImageBuffer(contentsOf: "\(fixtures)/images/\(name).png")
      embeddings[name] = try decoder.result(of: model.run(image))
      #expect(embeddings[name]?.values.count == 12)
    }
    let distances = try #require(
      try JSONTree(contentsOf: "\(fixtures)/expected.json")["distances"]?.object)
    #expect(distances.count == 6)
    for (pair, expected) in distances {
      let names = pair.split(separator: " ").map(String.init)
      let comparison = try decoder.options.compare(
        try #require(embeddings[names[0]]), try #require(embeddings[names[1]]))
      #expect(isClose(comparison.distance, to: expected.number ?? .nan, within: 0.002), "\(pair)")
      #expect(comparison.isMatch == (names[0].prefix(4) == names[1].prefix(4)), "\(pair)")
    }
    var gallery = InMemoryGallery()
    gallery.enroll(try #require(embeddings["warm-1"]), as: "warm")
    gallery.enroll(try #require(embeddings["cold-1"]), as: "cold")
    for name in ["warm", "cold"] {
      let embedding = try #require(embeddings["\(name)-2"])
      #expect(try gallery.recognize(embedding, decoder.options).name == name)
    }
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `Published images of the same kind are close, of different kinds far apart`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.description, to: "embedding.tiobundle/model.json")
    try folder.copy(SharedFixtures.path(Self.model), as: "embedding.tiobundle/model.tflite")
    let model = try Model(at: folder.path + "/embedding.tiobundle")
    let reader = try EmbeddingTask(model)
    let cat = try embedding("cat_test_0", model), otherCat = try embedding("cat_train_0", model)
    let dog = try embedding("dog_test_0", model), otherDog = try embedding("dog_train_0", model)
    let cats = try reader.options.compare(cat, otherCat)
    let dogs = try reader.options.compare(dog, otherDog)
    #expect(isClose(cats.distance, to: 0.671, within: 0.02) && cats.isMatch == true)
    #expect(isClose(dogs.distance, to: 0.888, within: 0.02) && dogs.isMatch == true)
    for (cat, dog) in [(cat, dog), (cat, otherDog), (otherCat, dog), (otherCat, otherDog)] {
      #expect(try cat.distance(to: dog) > 1.02)
      #expect(try reader.options.compare(cat, dog).isMatch == false)
    }
    var gallery = InMemoryGallery()
    gallery.enroll(otherCat, as: "cat")
    gallery.enroll(otherDog, as: "dog")
    #expect(try gallery.recognize(cat, reader.options).name == "cat")
    #expect(try gallery.recognize(dog, reader.options).name == "dog")
  }

  /// The embedding of an image, with length one.
  private func embedding(_ name: String, _ model: Model) throws -> Embedding {
    let inputImage = try ImageBuffer(contentsOf: SharedFixtures.path("real/images/\(name).bmp"))
    let embedding = try EmbeddingTask(model).result(of: model.run(inputImage))
    #expect(embedding.values.count == 1024)
    return embedding
  }
}
