import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOServer
import TensorIOStudio
import TensorIOTestSupport

/// Opens models that wait at a gate before each answer, which is always the first label.
struct GatedLibrary: StudioHost {
  let gate: TestGate

  private struct Runner: ModelRunner {
    let gate: TestGate

    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      gate.wait()
      let answer = Classification(labels: ["fig", "plum"], scores: [0.9, 0.1])
      return ModelOutput(layers: [.init(name: "scores", value: .classification(answer))])
    }
  }

  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model {
    Model(bundle, runner: Runner(gate: gate))
  }

  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(StudioError) -> ImportedModel {
    throw StudioError(.internalServerError, "unwritable", "nothing is taken in")
  }

  func saveSettings(
    _ choice: StudioSettings, replacing old: StudioSettings
  ) throws(StudioError) {}

  /// A bundle that takes pictures and tells figs from plums.
  static func bundle() throws -> TestBundle {
    try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      model: #""file": "model.tflite", "quantized": false, "class": "Function""#,
      labels: "fig\nplum\n")
  }

  /// A picture's file.
  static func picture(_ gray: UInt8 = 7) throws -> [UInt8] {
    try ImageBuffer(
      width: 8, height: 8, format: .gray, pixels: [UInt8](repeating: gray, count: 64)
    ).encoded(as: .png)
  }
}
