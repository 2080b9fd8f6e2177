import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Overrides of modes, and diagnostics about them.
@Suite struct ModeOverridesTests {
  private let description: ModelDescription

  init() throws {
    let name = "modes-of-their-own--nonstandard-mode+nonstandard-placeholders"
    let fixture = try #require(DescriptionFixture.valid.first { $0.name == name })
    description = try ModelDescription(json: fixture.bytes())
  }

  @Test func `A mode overrides some properties and inherits the others`() {
    let train = description.resolved(for: .train)
    #expect(train.modelFile == "train" && description.modelFile == "predict")
    #expect(train.inputs.map(\.name) == ["picture", "labels"])
    #expect(train.outputs.map(\.name) == ["loss"])
    #expect(train.placeholders.map(\.defaultValue) == [[0.01], [1, 0.5, 2, -0.001], [17], nil])
    let evaluate = description.resolved(for: .evaluate)
    #expect(evaluate.modelFile == "predict")
    #expect(evaluate.outputs.map(\.name) == ["loss", "accuracy"])
    #expect(evaluate.placeholders.map(\.defaultValue) == [[0.5]])
    #expect(description.resolved(for: .predict) == description)
    #expect(description.trainingOperations == ["train"])
  }

  @Test func `A mismatch in a mode is reported at the mode's layers`() {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [7])
    let signature = ModelSignature(
      name: "s", inputs: [tensor, tensor], placeholders: [tensor], outputs: [tensor, tensor])
    func paths(_ mode: ModelMode) -> [String] {
      description.diagnostics(against: signature, in: mode).filter { $0.severity == .error }
        .map(\.path)
    }
    #expect(
      paths(.train) == [
        "/train/placeholders", "/train/inputs/0/shape", "/train/inputs/1/shape",
        "/train/inputs/1/dtype", "/train/outputs/0/shape", "/train/placeholders/0/shape",
      ])
    #expect(
      paths(.evaluate) == [
        "/eval/inputs/0/shape", "/eval/inputs/1/shape", "/eval/inputs/1/dtype",
        "/eval/outputs/0/shape", "/eval/outputs/1/shape", "/placeholders/0/shape",
      ])
  }

  @Test func `A missing file of a mode is reported at its name`() throws {
    let folder = try TemporaryFolder()
    try folder.write(description.json, to: "b.tiobundle/model.json")
    try folder.write("", to: "b.tiobundle/predict")
    try folder.write("a", to: "b.tiobundle/assets/labels.txt")
    let report = BundleValidator(runner: nil).validate(folder.path + "/b.tiobundle")
    #expect(report.diagnostics.filter { $0.severity == .error }.map(\.path) == ["/train/file"])
  }
}
