import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOServer
import TensorIOStudio
import TensorIOTasks
import TensorIOTestSupport

/// Opens models that wait at a gate before each run and always predict the first label.
///
/// Videos have no end.
struct GatedStudioHost: StudioHost {
  let gate: TestGate

  private struct Runner: ModelRunner {
    let gate: TestGate

    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      gate.wait()
      let classification = Classification(labels: ["fig", "plum"], scores: [0.9, 0.1])
      return ModelOutput(layers: [
        .init(name: "scores", value: .classification(classification))
      ])
    }
  }

  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model {
    Model(bundle, runner: Runner(gate: gate))
  }

  func missingRuntime(for backend: BackendIdentifier) -> MissingStudioRuntime? { nil }

  func importBundle(
    _ zip: [UInt8], name: String?, isReplacing: Bool, reservedNames: Set<String>
  ) throws(ClientError) -> ImportedModel {
    throw ClientError(.internalServerError, "unwritable", "the test host cannot import")
  }

  func draftBundle(of model: [UInt8], named fileName: String) throws(ClientError) -> DraftedBundle {
    throw ClientError(.internalServerError, "unwritable", "the test host cannot draft")
  }

  func downloadModel(
    _ source: String, isReplacing: Bool, reservedNames: Set<String>,
    onProgress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) -> DownloadedModel {
    throw ClientError(.internalServerError, "unwritable", "the test host cannot download")
  }

  func requireVideoDecoder() throws(ClientError) {}

  func processVideo(
    at path: String, with model: Model, _ options: ResultOptions, onStart: (Double?) -> Void,
    onFrame: (ProcessedFrame) -> Bool, isCancelled: @escaping @Sendable () -> Bool
  ) throws(ClientError) {
    let frame = ProcessedFrame(
      image: [0xFF, 0xD8], width: 1, height: 1, record: Array("{}".utf8), line: Array("{}\n".utf8))
    while !isCancelled(), onFrame(frame) {}
  }

  func isInLibrary(_ path: String) -> Bool { false }

  func removeBundle(at path: String) throws(ClientError) {
    throw ClientError(.internalServerError, "unwritable", "the test host cannot remove")
  }

  func saveSettings(
    _ settings: StudioSettings, replacing old: StudioSettings
  ) throws(ClientError) {}

  /// A bundle that classifies images as figs or plums.
  static func bundle() throws -> TestBundle {
    try TestBundle(
      inputs: #"{"name": "image", "type": "image", "shape": [8, 8, 3], "format": "RGB"}"#,
      outputs: #"{"name": "scores", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      model: #""file": "model.tflite", "quantized": false, "class": "Function""#,
      labels: "fig\nplum\n")
  }

  /// Returns an image file.
  static func image(_ gray: UInt8 = 7) throws -> [UInt8] {
    try ImageBuffer(
      width: 8, height: 8, format: .gray, pixels: [UInt8](repeating: gray, count: 64)
    ).encoded(as: .png)
  }
}
