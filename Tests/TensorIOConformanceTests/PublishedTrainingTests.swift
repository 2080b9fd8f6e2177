import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// The published training example of TensorIO for iOS, with its original description.
@Suite struct PublishedTrainingTests {
  @Test func `A hundred steps on a batch of a cat and a dog reduce the loss`() throws {
    SharedFixtures.report("training", 1)
    guard SharedFixtures.areAvailable else { return }
    let folder = try TemporaryFolder()
    let description = SharedFixtures.path("schema/tensorflow/cats-vs-dogs-train.json")
    let text = try String(contentsOfFile: description, encoding: .utf8)
    try folder.write(text, to: "c.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/TensorFlow/cats-vs-dogs-graph/train"),
      as: "c.tiobundle/train")
    let model = try TrainableModel(bundleAt: "\(folder.path)/c.tiobundle")
    var batch = Batch(keys: ["image", "labels"])
    for (name, label) in [("cat", 0), ("dog", 1)] {
      let image = try ImageBuffer(contentsOf: SharedFixtures.path("real/images/\(name).jpg"))
      try batch.append(["image": image, "labels": label] as ModelInput)
    }
    let losses = try (0..<100).map { _ in
      try model.train(batch)["sigmoid_cross_entropy_loss/value"].value(as: Double.self)
    }
    #expect(losses[99] < losses[0] / 2 && losses.allSatisfy(\.isFinite), "\(losses)")
    let exported = "\(folder.path)/trained.tiobundle"
    try model.saveCheckpoint(to: "\(folder.path)/checkpoint")
    try model.export(to: exported)
    #expect(try ModelBundle(at: exported).description == model.bundle.description)
    #expect(TestConsole.run(["validate", exported]).exitCode == 0)
    #expect(folder.entries == ["c.tiobundle", "checkpoint", "trained.tiobundle"])
  }
}
