import TensorIO

/// A model of a few numbers: all that is measured is the way to it and back.
extension Job {
  static let tinyModel = [
    Job(
      "tiny-arrays", "tiny model, `Model.run(_:into:)`", against: floor, .time(times: 2)
    ) {
      let tiny = try TinyModel()
      return try tiny.contest { times in
        let input = TinyModel.input
        var output: [Float] = [0]
        for _ in 0..<times { try tiny.model.run(input, into: &output) }
      }
    },
    Job(
      "tiny-value", "tiny model, `Model.run` on an array", against: floor, .time(microseconds: 5)
    ) {
      let tiny = try TinyModel()
      return try tiny.contest { times in
        let input = TinyModel.input
        for _ in 0..<times { _ = try Double(tiny.model.run(input).layers[0].value) }
      }
    },
    Job(
      "tiny-name", "tiny model, `Model.run` by names", against: floor, .time(microseconds: 5)
    ) {
      let tiny = try TinyModel()
      return try tiny.contest { times in
        let input = TinyModel.input
        for _ in 0..<times {
          _ = try Double(tiny.model.run(["features": input])["progression"])
        }
      }
    },
  ]

  private static let floor = "LiteRT's C API: write, invoke, read"
}

/// The tiny model in TensorIO and in LiteRT alone, in one process and one library.
private struct TinyModel {
  static let input: [Float] = [0.04, 0.05, 0.06, 0.02, -0.04, -0.03, -0.04, -0.01, 0.02, -0.02]

  let model: Model
  let floor: LiteRTFloor

  init() throws {
    let bundle = try ModelBundle(at: Place.tinyBundle)
    model = try Model(
      bundle,
      options: OpeningOptions(threads: 1, libraries: [.tflite: Place.library]))
    floor = LiteRTFloor(model: try bundle.modelFile.path, input: Self.input)
  }

  func contest(_ work: @escaping (Int) throws -> Void) throws -> Contest {
    Contest(
      try .repeating(work), against: try .repeating { [floor] in floor.writeInvokeRead(times: $0) },
      agreement: try agreement())
  }

  private func agreement() throws -> String {
    var output: [Float] = [0]
    try model.run(Self.input, into: &output)
    return output == floor.output(as: Float.self) ? "same number" : "another number"
  }
}
