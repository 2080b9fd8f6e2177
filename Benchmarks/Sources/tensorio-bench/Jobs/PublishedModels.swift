import Foundation
import TensorIO

/// Published models of tasks, which are not part of the project: the jobs are skipped without them.
extension Job {
  static let publishedModels = [
    Job(
      "deeplab", "DeepLab v3: JPEG to the result as JSON", against: "the model alone",
      .time(moreMicroseconds: 3_000)
    ) {
      let model = try Self.published("deeplabv3.tflite")
      let image = try Data(
        contentsOf: URL(filePath: try Self.published("segmentation_input_rotation0.jpg")))
      let runner = ResultRunner(model: model, library: Place.library, image: [UInt8](image))
      let floor = LiteRTFloor(
        model: model, input: [Float](repeating: 0.1, count: 257 * 257 * 3))
      let size = runner.run(times: 1)
      return Contest(
        try .repeating { runner.run(times: $0) },
        against: try .repeating { floor.writeInvokeRead(times: $0) },
        agreement: "\(size) bytes, \(size <= 50_000 ? "≤" : "more than") 50 kB")
    },
    Job(
      "yamnet", "an hour of sound through YAMNet, in windows without overlap",
      against: "the model alone on as many windows", .time(times: 1.05)
    ) {
      let file = try Self.published("yamnet_audio_classifier_with_metadata.tflite")
      let bundle = try ScratchBundle(Self.yamnet)
      try FileManager.default.copyItem(atPath: file, toPath: bundle.path + "/model.tflite")
      let model = try Model(
        try ModelBundle(at: bundle.path),
        options: OpeningOptions(threads: 1, libraries: [.tflite: Place.library]))
      let sound = try AudioBuffer(
        samples: (0..<3_600 * 16_000).map { sin(Float($0 % 16_000) * 0.3) * 0.5 },
        sampleRate: 16_000)
      let windows = try model.run(sound).windows.count
      let floor = LiteRTFloor(model: file, input: [Float](repeating: 0.1, count: 15_600))
      return Contest(
        Contender {
          Measurement(microseconds: try Self.duration { _ = try model.run(sound) })
        },
        against: Contender {
          Measurement(microseconds: Self.duration { floor.writeInvokeRead(times: windows) })
        },
        agreement: "\(windows) windows")
    }.whenAsked,
  ]

  private static func duration(_ work: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(work) / .microseconds(1)
  }

  /// Returns the path of a published file.
  private static func published(_ name: String) throws -> String {
    let path = Place.publishedModels + "/" + name
    guard FileManager.default.fileExists(atPath: path) else { throw BenchError.absent(path) }
    return path
  }

  private static let yamnet = """
    {"name": "YAMNet", "details": "", "id": "yamnet", "version": "1", "author": "", "license": "",
     "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
     "inputs": [{"name": "audio_clip", "type": "audio", "shape": [15600], "dtype": "float32", "rate": 16000}],
     "outputs": [{"name": "scores", "type": "array", "shape": [1, 521], "dtype": "float32", "role": "scores"}],
     "task": {"type": "classification"}}
    """
}
