import TensorIO
import TensorIOData

@main
struct LearnDigits {
  static func main() async throws {
    let bundle = try ModelBundle(at: CommandLine.arguments[1])
    let model = try TrainableModel(bundle)
    let labels = try bundle.labels(for: bundle.description.outputs[0])
    let images = try ExampleDataset(
      at: CommandLine.arguments[2],
      for: bundle.description.resolved(for: .train).inputs, labels: labels)
    let predictor = try model.predictionModel()
    let sample = try ImageBuffer(contentsOf: CommandLine.arguments[3])
    let options = Trainer.Options(
      epochs: 10, batchSize: 16, validationFraction: 0.1, earlyStoppingPatience: 2)
    for try await step in Trainer(model, options).train(images) {
      guard let epoch = step.epochSummary else { continue }
      let best = try predictor.run(sample).classes.first
      print("epoch \(epoch.epoch): loss \(epoch.validation?.loss ?? .nan),", best?.label ?? "none")
    }
    try model.export(to: CommandLine.arguments[4])
    let exported = try Model(at: CommandLine.arguments[4])
    print("exported:", try exported.run(sample).classes.first?.label ?? "none")
  }
}
