import TensorIO
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// Training of a network whose gradients are operators that the converter has left to TensorFlow.
@Suite(.ownThreads) struct FlexTrainingTests {
  private static let bundle = FixturePath("Bundles/flex-gradients.tiobundle").path
  private static let batchSize = 8

  /// An item of the training, as `Models/make_gradient_cases.py` computes it.
  private static func item(_ item: Int) -> ModelInput {
    let label = item * 7 % 5
    let pixels = (0..<288).map { pixel in
      Float(pixel * (label + 2) % 11 < 4 ? 1 : 0)
        + Float((item * 31 + pixel * 17 + item * pixel) % 17) / 16
    }
    return ["images": pixels, "targets": (0..<5).map { $0 == label ? Float(1) : 0 }]
  }

  @Test func `The losses of a training equal those of TensorFlow`() throws {
    let golden = FixturePath("Golden/flex-gradients-losses.json").path
    let expected = try #require(try JSONTree(contentsOf: golden)["losses"]?.numbers)
    #expect(expected.count == 50)
    let model = try TrainableModel(bundleAt: Self.bundle)
    for (step, expected) in expected.enumerated() {
      let items = (0..<Self.batchSize).map { Self.item(step * Self.batchSize + $0) }
      let found = try model.train(Batch(items), reporting: .duringStep)["loss"].value(
        as: Double.self)
      #expect(abs(found - expected) <= 1e-3 * expected, "step \(step): \(found), not \(expected)")
    }
  }
}
