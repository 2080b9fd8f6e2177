import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// The published training example of TensorIO for iOS, with a description in its legacy form.
@Suite struct PublishedTrainingTests {
  /// A description, and the images of the two classes.
  struct Example: Sendable {
    let description: FixturePath
    let images: [FixturePath]
  }

  static let examples = [
    Example(
      description: FixturePath("Descriptions/valid/train-only-in-the-top-level.json"),
      images: ["warm-1", "cold-1"].map { FixturePath("Conformance/images/\($0).png") }),
    Example(
      description: FixturePath("shared:schema/tensorflow/cats-vs-dogs-train.json"),
      images: ["cat", "dog"].map { FixturePath("shared:real/images/\($0).jpg") }),
  ].filter(\.description.isAvailable)

  @Test func `The number of examples is printed`() {
    let shared = Self.examples.count(where: \.description.isShared)
    CaseCount.report("training", project: Self.examples.count - shared, shared: shared)
  }

  @Test(arguments: examples)
  func `A hundred steps on a batch of two images reduce the loss`(_ example: Example) throws {
    let folder = try TemporaryFolder()
    let text = try String(contentsOfFile: example.description.path, encoding: .utf8)
    try folder.write(text, to: "c.tiobundle/model.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/TensorFlow/cats-vs-dogs-graph/train"),
      as: "c.tiobundle/train")
    let model = try TrainableModel(at: "\(folder.path)/c.tiobundle")
    var batch = Batch(keys: ["image", "labels"])
    for (label, file) in example.images.enumerated() {
      let image = try ImageBuffer(contentsOf: file.path)
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
