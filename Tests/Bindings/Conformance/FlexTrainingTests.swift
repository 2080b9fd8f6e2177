import TensorIO
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// Training of networks whose gradients and normalization are operators that the converter has left to TensorFlow.
@Suite(.ownThreads) struct FlexTrainingTests {
  private static let batchSize = 8

  /// The pixels and the targets of an item, as `Models/make_gradient_cases.py` computes them.
  private static func item(_ item: Int) -> (images: [Float], targets: [Float]) {
    let label = item * 7 % 5
    let pixels = (0..<288).map { pixel in
      Float(pixel * (label + 2) % 11 < 4 ? 1 : 0)
        + Float((item * 31 + pixel * 17 + item * pixel) % 17) / 16
    }
    return (pixels, (0..<5).map { $0 == label ? 1 : 0 })
  }

  @Test(arguments: ["flex-gradients", "flex-normalization"])
  func `The losses and the probabilities of a training equal those of TensorFlow`(
    _ name: String
  ) throws {
    let golden = try JSONTree(contentsOf: FixturePath("Golden/\(name)-losses.json").path)
    let expected = try #require(golden["losses"]?.numbers)
    #expect(expected.count == 50)
    let model = try TrainableModel(at: FixturePath("Bundles/\(name).tiobundle").path)
    for (step, expected) in expected.enumerated() {
      let items = (0..<Self.batchSize).map { index -> ModelInput in
        let (images, targets) = Self.item(step * Self.batchSize + index)
        return ["images": images, "targets": targets]
      }
      let found = try model.train(Batch(items), reporting: .duringStep)["loss"].value(
        as: Double.self)
      #expect(abs(found - expected) <= 1e-3 * expected, "step \(step): \(found), not \(expected)")
    }
    let probabilities = try #require(golden["probabilities"]?.numbers)
    let images = Self.item(expected.count * Self.batchSize).images
    let found = try model.predictionModel().run(["images": images])["probabilities"].value(
      as: [Double].self)
    #expect(zip(found, probabilities).allSatisfy { abs($0 - $1) <= 1e-3 }, "\(found)")
  }

  @Test func `A model is not trained on a GPU`() throws {
    var options = OpeningOptions()
    options.accelerator = .gpu
    let error = try #require(throws: ModelError.self) {
      try TrainableModel(
        at: FixturePath("Bundles/flex-gradients.tiobundle").path, options: options)
    }
    #expect(error.reason == .unsupported("training on a GPU"))
  }
}
