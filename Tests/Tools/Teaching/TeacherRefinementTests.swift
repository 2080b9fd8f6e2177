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
  private static let digits = ProjectFiles.path("Examples/Data/digits-training")

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func teacher(
    _ labels: [String] = ["3", "5", "8"], count: Int = 20, in bundle: String = trainable
  ) throws -> Teacher {
    var teacher = try Teacher(Model(at: bundle), .init(cacheFolder: nil))
    for label in labels {
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(Self.digits)/\(label)")
      for file in files.sorted().prefix(count) {
        try teacher.add(
          ImageBuffer(contentsOf: "\(Self.digits)/\(label)/\(file)"), as: label,
          named: "\(label)/\(file)")
      }
    }
    return teacher
  }

  @Test(.enabled(if: isTensorFlowAvailable))
  func `A refined backbone distinguishes the classes better`() throws {
    var teacher = try teacher()
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
    let again = try Teacher(Model(at: path), .init(cacheFolder: nil))
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
