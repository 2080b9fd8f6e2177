import Foundation
import TensorIO

/// Texts and sounds on their way to a model.
extension Job {
  static let textAndSound = [
    Job(
      "tokenizing", "400 kB of English through WordPiece, and a tiny model",
      against: "Python: tokenizers", .time(microseconds: 20_000)
    ) {
      let model = try Self.model(Place.topicsBundle)
      let text = try String(contentsOfFile: Place.text, encoding: .utf8)
      return Contest(
        try .repeating { times in for _ in 0..<times { _ = try model.run(text) } },
        against: .peer(
          [
            Place.tokenizersPython, Place.tokenizeScript, Place.topicsBundle + "/assets/vocab.txt",
            Place.text, "--rounds", "1", "--iterations", "9",
          ], median: "encode"))
    },
    Job(
      "sound", "ten minutes of sound in windows, log-mel features and model",
      against: "the model alone on as many windows", .time
    ) {
      let model = try Self.model(Place.tonesBundle)
      let sound = try AudioBuffer(
        samples: (0..<600 * 8_000).map { sin(Float($0) * 0.3) * 0.5 }, sampleRate: 8_000)
      let windows = try model.run(sound).windows.count
      let input = [Float](repeating: 0.1, count: 48 * 32)
      let floor = LiteRTFloor(model: Place.tonesBundle + "/model.tflite", input: input)
      return Contest(
        try .repeating { times in for _ in 0..<times { _ = try model.run(sound) } },
        against: try .repeating { floor.writeInvokeRead(times: $0 * windows) },
        agreement: "\(windows) windows")
    },
  ]

  private static func model(_ path: String) throws -> Model {
    try Model(
      try ModelBundle(at: path),
      options: OpeningOptions(threads: 1, libraries: [.tflite: Place.library]))
  }
}
