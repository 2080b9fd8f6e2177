import TensorIO
import TensorIOData

@main
struct LearnDigits {
  static func main() throws {
    let bundle = try ModelBundle(at: CommandLine.arguments[1])
    let model = try TrainableModel(bundle)
    let labels = try bundle.labels(for: bundle.description.outputs[0])
    let images = try ExampleDataset(
      at: CommandLine.arguments[2],
      for: bundle.description.resolved(for: .train).inputs, labels: labels)
    print(images.count, "images,", try model.variables().count, "variables")
  }
}
