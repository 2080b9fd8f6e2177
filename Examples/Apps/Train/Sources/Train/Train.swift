import Foundation
import TensorIO
import TensorIOData

/// Trains a bundle on a folder with a subfolder of images for each label, and exports it: `Train BUNDLE FOLDER OUTPUT`.
@main
struct Train {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3 else {
      print("usage: Train BUNDLE FOLDER OUTPUT")
      exit(2)
    }
    let model = try TrainableModel(at: arguments[0])
    let bundle = try ModelBundle(at: arguments[0])
    let layers = bundle.description.resolved(for: .train).inputs
    let labels = try bundle.description.outputs.lazy.map { try bundle.labels(for: $0) }
      .first { !$0.isEmpty }
    let data = try ExampleDataset(at: arguments[1], for: layers, labels: labels ?? [])
    let trainer = Trainer(
      model,
      Trainer.Options(
        epochs: 3, batchSize: 16, validationFraction: 0.1, earlyStoppingPatience: 2))
    for try await step in trainer.train(data) {
      guard let end = step.epochSummary else { continue }
      let validation = end.validation?.loss.map { ", validation \($0)" } ?? ""
      print("epoch \(end.epoch): loss \(end.loss ?? .nan)\(validation)")
    }
    try model.export(to: arguments[2], overwriting: true)
    print(arguments[2])
  }
}
