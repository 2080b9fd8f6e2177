import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

@testable import TensorIOTeaching

private let isTensorFlowAvailable = (try? TensorFlowBackend().locateLibrary()) != nil

/// Backbones that are trained on the classes.
@Suite(.ownThreads) struct TeacherRefinementTests {
  private static let trainable = ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle")
  private static let trainableFile = ProjectFiles.path(
    "Examples/Bundles/digits-trainable-tflite.tiobundle")
  /// Options without a search for C, which takes longer than the trainings.
  private static let options = Teacher.Options(regularization: 100, cacheFolder: nil)
  /// A backbone of each available runtime that trains.
  private static let backbones = [trainableFile] + (isTensorFlowAvailable ? [trainable] : [])
  private static let digits = ProjectFiles.path("Examples/Data/digits-training")

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func teacher(
    _ labels: [String] = ["3", "5", "8"], count: Int = 20, in bundle: String = trainable
  ) throws -> Teacher {
    var teacher = try Teacher(Model(at: bundle), Self.options)
    try Self.add(0..<count, of: labels, to: &teacher)
    return teacher
  }

  private static func add(
    _ range: Range<Int>, of labels: [String] = ["3", "5", "8"], to teacher: inout Teacher
  ) throws {
    for label in labels {
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(Self.digits)/\(label)")
      for file in files.sorted()[range] {
        try teacher.add(image(label, file), as: label, named: "\(label)/\(file)")
      }
    }
  }

  private static func image(_ label: String, _ file: String) throws -> ImageBuffer {
    try ImageBuffer(contentsOf: "\(Self.digits)/\(label)/\(file)")
  }

  @Test(arguments: backbones)
  func `A refined backbone distinguishes the classes better`(_ backbone: String) throws {
    var teacher = try teacher(in: backbone)
    let refinement = try teacher.refine(
      .init(maxEpochs: 12, augmentations: [], placeholders: ["learning_rate": 0.03]))
    #expect(refinement.trainedCount == 48 && refinement.after.exampleCount == 12)
    #expect(refinement.bestEpoch > 0 && refinement.bestEpoch <= refinement.epochCount)
    #expect(refinement.after.loss < refinement.before.loss, "\(refinement)")
    let taught = try teacher.fit()
    #expect(taught.report.refinement == refinement)
    // Only examples that were not trained are measured.
    #expect(taught.report.exampleCount == 60)
    #expect(taught.report.classes.map(\.measuredCount) == [4, 4, 4])
    #expect(taught.report.confusion.joined().reduce(0, +) == 12)
    let path = "\(folder.path)/refined.tiobundle"
    try taught.export(to: path)
    let card = try String(contentsOfFile: path + "/CARD.md", encoding: .utf8)
    #expect(card.contains("trained on the classes"))
    // The bundle has the embeddings and the weights, and knows which examples were trained.
    let again = try Teacher(Model(at: path), Self.options)
    #expect(again.examples == teacher.examples)
    #expect(again.examples.count(where: \.isTrained) == 48)
    let file =
      "\(Self.digits)/3/\(try FileManager.default.contentsOfDirectory(atPath: "\(Self.digits)/3").sorted()[30])"
    let output = try Model(at: path).run(ImageBuffer(contentsOf: file))
    let name = try Model(at: path).outputs[0].name
    let found = try #require(try output[name].classification)
    let embedding = try again.backbone.model.run(ImageBuffer(contentsOf: file)).embedding.values
    let expected = taught.head.probabilities(of: embedding)
    let known = found.scores.prefix(3)
    for (score, probability) in zip(known, expected) {
      #expect(abs(Double(score / known.reduce(0, +)) - probability) < 1e-3)
    }
  }

  @Test(arguments: backbones)
  func `A refined bundle is refined again with its examples and others`(_ backbone: String) throws {
    let options = BackboneRefinement.Options(
      maxEpochs: 4, augmentations: [], placeholders: ["learning_rate": 0.02])
    var teacher = try teacher(count: 10, in: backbone)
    let first = try teacher.refine(options)
    try #require(first.bestEpoch > 0)
    let path = "\(folder.path)/refined.tiobundle"
    try teacher.fit().export(to: path)

    var again = try Teacher(Model(at: path), Self.options)
    let incomplete = #expect(throws: ModelError.self) { try again.refine(options) }
    #expect(incomplete?.message.contains("add it again") == true)
    // It can be trained with exactly the weights of the first training.
    let trained = try #require(try teacher.backbone.trainable())
    let restored = try #require(try again.backbone.trainable())
    let image = try Self.image(
      "3", FileManager.default.contentsOfDirectory(atPath: "\(Self.digits)/3").sorted()[40])
    let scores = try [trained.bundle, restored.bundle].map { bundle in
      try Model(bundle, on: #require(teacher.backbone.model.backend)).run(image)["probabilities"]
        .classification?.scores
    }
    #expect(scores[0] == scores[1] && scores[0]?.count == 10)
    withExtendedLifetime((trained.folder, restored.folder)) {}

    // The examples get their inputs, and those that were held out are held out again.
    try Self.add(0..<10, to: &again)
    #expect(again.exampleCounts == [10, 10, 10])
    let second = try again.refine(options)
    #expect(second.before == first.after && second.after.loss <= first.after.loss)
    #expect(second.trainedCount == 24 && second.after.exampleCount == 6)
    #expect(try again.fit().report.duplicates.isEmpty)
    // What was trained is never held out, and another call continues with the weights of this one.
    try Self.add(10..<15, to: &again)
    let third = try again.refine(options)
    #expect(third.trainedCount == 33 && third.after.exampleCount == 12)
    let taught = try again.fit()
    #expect(taught.report.classes.allSatisfy { $0.measuredCount <= 7 })
    #expect(taught.report.card.contains("trained on the classes"))
  }

  @Test func `A bundle without the description of its training names the remedy`() throws {
    let path = "\(folder.path)/taught.tiobundle"
    try teacher(count: 4, in: Self.trainableFile).fit().export(to: path)
    for name in ["assets/trainable.json", "manifest.json"] {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    var again = try Teacher(Model(at: path), Self.options)
    let error = #expect(throws: ModelError.self) { try again.refine() }
    #expect(error?.message.contains("teach the original backbone again") == true)
  }

  @Test func `A taught file is that of its backbone behind the tables of the head`() throws {
    var teacher = try teacher(count: 4, in: Self.trainableFile)
    let path = "\(folder.path)/taught.tiobundle"
    try teacher.fit().export(to: path)
    let again = try Teacher(Model(at: path), Self.options)
    let restored = try #require(try again.backbone.trainable())
    let bytes = FileManager.default.contents(atPath: try restored.bundle.modelFile.path)
    #expect(bytes == FileManager.default.contents(atPath: Self.trainableFile + "/model.tflite"))
    withExtendedLifetime(restored.folder) {}
    // The signatures for training and evaluation are still there.
    #expect(try Model(at: path).bundle.description.modes == [.predict])
    teacher.remove("8")
    #expect(throws: Never.self) { try teacher.refine(.init(maxEpochs: 1)) }
  }

  @Test(.enabled(if: isTensorFlowAvailable))
  func `Without an improvement, the backbone keeps its weights`() throws {
    var teacher = try teacher(count: 5)
    let before = teacher.examples
    // Steps of this size change nothing.
    let refinement = try teacher.refine(
      .init(maxEpochs: 5, patience: 1, placeholders: ["learning_rate": 0]))
    #expect(refinement.bestEpoch == 0 && refinement.epochCount == 1)
    #expect(refinement.after == refinement.before)
    let areUnchanged = teacher.examples == before
    #expect(areUnchanged)
    let card = try teacher.fit().report.card
    #expect(card.contains("unchanged"))
  }

  @Test(.enabled(if: isTensorFlowAvailable))
  func `More classes than the model has are an error`() throws {
    var teacher = try teacher(["3", "5"], count: 2)
    for index in 0..<10 {
      for example in 0..<2 {
        try teacher.add(
          ImageBuffer(
            width: 8, height: 8, format: .gray,
            pixels: (0..<64).map { UInt8(($0 * (index + 2) + example * 3) % 256) }),
          as: "other \(index)")
      }
    }
    let error = #expect(throws: ModelError.self) { try teacher.refine() }
    #expect(error?.message.contains("10 classes") == true)
  }

  @Test func `A backbone without the mode train cannot be refined`() throws {
    var teacher = try teacher(
      count: 3, in: ProjectFiles.path("Examples/Bundles/digits-embedder.tiobundle"))
    let error = #expect(throws: ModelError.self) { try teacher.refine() }
    #expect(error?.message.contains("\"train\"") == true)
  }
}
