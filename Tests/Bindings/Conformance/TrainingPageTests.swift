import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import TensorIOTraining
import Testing

/// The code in `Documentation/Training.md`, compiled and run on a linear model.
///
/// This file contains every block of the page, line by line.
@Suite struct TrainingPageTests {
  private func opening() throws {
    let model = try TrainableModel(at: "line.tiobundle")
    withExtendedLifetime(model) {}
  }

  private func loop(_ model: TrainableModel) throws -> Batch {
    var batch = Batch(keys: ["x", "y"])
    try batch.append(["x": 0.5, "y": 2])
    try batch.append(["x": 1, "y": 3])
    for _ in 0..<100 {
      let results = try model.train(batch)
      print(try results["loss"].value(as: Double.self))
    }
    return batch
  }

  private func rated(_ model: TrainableModel, _ batch: Batch) throws -> ModelOutput {
    let rated = try model.train(batch, placeholders: ["rate": 0.01], reporting: .duringStep)
    return rated
  }

  private func epochs(_ model: TrainableModel) async throws -> LazyBatchSource {
    let data = LazyBatchSource(keys: ["x", "y"], count: 20) { index in
      let x = Double(index) / 20
      return ["x": x, "y": 2 * x + 1]
    }
    let trainer = Trainer(
      model,
      Trainer.Options(
        epochs: 20, batchSize: 4, validationFraction: 0.2, earlyStoppingPatience: 3))
    for try await step in trainer.train(data) {
      guard let end = step.epochSummary else { continue }
      print("epoch \(end.epoch):", end.loss ?? .nan, end.validation?.loss ?? .nan)
    }
    return data
  }

  private func schedule() -> Trainer.Options {
    let falling = Trainer.Options(
      epochs: 3, placeholderSchedule: { ["rate": 0.1 / Double($0.epoch)] })
    return falling
  }

  private func predicting(_ model: TrainableModel, _ batch: Batch) throws -> [Double] {
    let predictor = try model.predictionModel()
    let before = try predictor.run(1).value(as: Double.self)
    try model.train(batch)
    let after = try predictor.run(1).value(as: Double.self)
    return [before, after]
  }

  private func evaluating(
    _ model: TrainableModel, _ data: LazyBatchSource
  ) async throws -> AveragedOutputs {
    let averages = try await model.evaluate(on: data, batchSize: 4)
    print(averages.loss ?? .nan, averages.means, averages.itemCount)
    return averages
  }

  private func exporting(_ model: TrainableModel, _ folder: String) throws {
    try model.export(to: "\(folder)/trained.tiobundle")
  }

  private func exchanging(_ model: TrainableModel) throws {
    let weights = try model.weights()
    let other = try TrainableModel(at: "line.tiobundle")
    try other.setWeights(weights)
  }

  private func resuming(
    _ model: TrainableModel, _ data: LazyBatchSource, _ folder: String
  ) async throws {
    let checkpoints = Trainer.Checkpoints(
      in: "\(folder)/checkpoints", every: .steps(2), maxToKeep: 3, resuming: true)
    let resumable = Trainer(model, Trainer.Options(epochs: 2, checkpoints: checkpoints))
    for try await step in resumable.train(data) { print(step.step, step.loss ?? .nan) }
  }

  @Test func `The code on the page works as described`() async throws {
    #expect(throws: ModelError.self) { try opening() }
    let bundle = try LinearBundle()
    let model = try bundle.open()
    let batch = try loop(model)
    #expect(try rated(model, batch).value(as: Double.self) < 0.2)
    let data = try await epochs(model)
    let falling = try await Trainer(model, schedule()).train(data).first { $0.step == 1 }
    #expect(falling?.itemCount == 20)
    let predictions = try predicting(model, batch)
    #expect(predictions[0] != predictions[1])
    let averages = try await evaluating(model, data)
    #expect(averages.itemCount == 20 && averages.loss ?? 1 < 0.1)
    // The linear model of the tests has no variables by name.
    #expect(throws: ModelError.self) { try exchanging(model) }
    try exporting(model, bundle.folder.path)
    #expect(try ModelBundle(at: bundle.folder.path + "/trained.tiobundle").name == "Line")
    try await resuming(model, data, bundle.folder.path)
    #expect(bundle.folder.entries == ["checkpoints", "line.tiobundle", "trained.tiobundle"])
  }

  @Test func `All code on the page is compiled in this file`() throws {
    let page = try String(
      contentsOfFile: ProjectFiles.path("Documentation/Training.md"), encoding: .utf8)
    let here = Self.trimmed(try String(contentsOfFile: #filePath, encoding: .utf8))
    let blocks = page.matches(of: #/```swift\n(?<code>.*?)\n```/#.dotMatchesNewlines())
    #expect(blocks.count == 10)
    for block in blocks {
      let code = Self.trimmed(String(block.code))
      #expect(here.contains(code), "\(block.code)")
    }
  }

  private static func trimmed(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
  }
}
