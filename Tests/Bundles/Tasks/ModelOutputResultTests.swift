import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@Suite struct ModelOutputResultTests {
  private static let labeled =
    #"{"name": "y", "type": "array", "shape": [4], "labels": "labels.txt"}"#

  private func classifier(_ settings: String = "") throws -> (bundle: TestBundle, model: Model) {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [4]}"#, outputs: Self.labeled,
      labels: "cat\ndog\nbird\nfish\n",
      extra: #""task": {"type": "classification"\#(settings)}"#)
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [1, 4])
    return (bundle, try bundle.open(.identity(tensor)))
  }

  private static let scores: [Float] = [0.1, 0.4, 0.3, 0.2]

  @Test func `An output decodes the classes of the bundle's task`() throws {
    let (bundle, model) = try classifier(#", "top": 2"#)
    let output = try model.run(Self.scores)
    #expect(try output.classes.map(\.label) == ["dog", "bird"])
    withExtendedLifetime(bundle) {}
  }

  @Test func `A closure changes the settings for one call`() throws {
    let (bundle, model) = try classifier(#", "top": 2"#)
    let output = try model.run(Self.scores)
    #expect(try output.classes { $0.top = 1 }.map(\.label) == ["dog"])
    #expect(try output.classes { $0.filter.deny = ["dog"] }.map(\.label) == ["bird", "fish"])
    #expect(try output.classes.map(\.label) == ["dog", "bird"])
    withExtendedLifetime(bundle) {}
  }

  @Test func `Outputs of submit and of batches decode results too`() async throws {
    let (bundle, model) = try classifier(#", "top": 1"#)
    var outputs = [try await model.submit(Self.scores)]
    outputs += try model.run(batch: [Self.scores, [0.9, 0, 0, 0]])
    outputs += try await model.submit(batch: [Self.scores])
    #expect(try outputs.map { try $0.classes[0].label } == ["dog", "dog", "cat", "dog"])
    let stream = model.stream()
    #expect(try stream.run(Self.scores).classes[0].label == "dog")
    withExtendedLifetime(bundle) {}
  }

  @Test func `An output of the application's own model decodes results`() throws {
    struct Constant: ModelRunner {
      func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
        let scores = Classification(labels: ["cat", "dog"], scores: [0.2, 0.8])
        return ModelOutput(layers: [.init(name: "y", value: .classification(scores))])
      }
    }
    let (bundle, model) = try classifier()
    let own = Model(model.bundle, runner: Constant())
    #expect(try own.run(1).classes[0].label == "dog")
    withExtendedLifetime(bundle) {}
  }

  @Test func `An output without a model has no results`() {
    let output = ModelOutput(layers: [.init(name: "y", value: .number(1))])
    let error = #expect(throws: ModelError.self) { try output.classes }
    #expect(error?.stage == .output && error?.code == "unsupported")
  }

  @Test func `A result that the model lacks is an error`() throws {
    let (bundle, model) = try classifier()
    let output = try model.run(Self.scores)
    #expect(throws: ModelError.self) { try output.detections }
    #expect(throws: ModelError.self) { try output.embedding }
    #expect(throws: ModelError.self) { try output.image }
    withExtendedLifetime(bundle) {}
  }

  @Test func `Equality compares values, not models`() throws {
    let (first, second) = (try classifier(), try classifier())
    #expect(try first.model.run(Self.scores) == second.model.run(Self.scores))
    withExtendedLifetime((first.bundle, second.bundle)) {}
  }
}
