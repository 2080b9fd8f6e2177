import TensorIO

/// Models in ONNX Runtime: a tiny one, one like MobileNet, and a whole process.
extension Job {
  static let onnxModels = [
    Job(
      "onnx-tiny", "tiny ONNX model, `Model.run(_:into:)`", against: floor, .time(times: 1.15)
    ) {
      let subject = try ONNXSubject(Place.tinyONNXBundle, count: 10)
      return try subject.contest()
    },
    Job(
      "onnx-tiny-python", "tiny ONNX model, `Model.run(_:into:)`", against: "Python: onnxruntime",
      .time(times: 0.3)
    ) {
      let subject = try ONNXSubject(Place.tinyONNXBundle, count: 10)
      return Contest(
        try subject.ours, against: .peer(script("measure"), median: "run"),
        agreement: try subject.agreement())
    },
    Job(
      "onnx-large", "ONNX model like MobileNet v1 0.25, 1 thread", against: floor,
      .time(times: 1.02)
    ) {
      let subject = try ONNXSubject(Place.largeONNXBundle, count: 3 * 128 * 128)
      return try subject.contest()
    },
    Job(
      "onnx-process", "whole process, a tiny ONNX model", against: "C program", .time(times: 1.15),
      .peakMemory
    ) {
      Contest(.process(ours), against: .process(program))
    },
    Job(
      "onnx-process-python", "whole process, a tiny ONNX model", against: "Python: onnxruntime",
      .time(times: 0.4), .peakMemory
    ) {
      Contest(.process(ours), against: .process(script("once")))
    },
  ]

  private static let floor = "ONNX Runtime's C API: write, run with binding, read"
  private static let numbers = (0..<10).map { "\($0)" }
  private static let ours = [
    Place.tensorio, "run", Place.tinyONNXBundle, "[\(numbers.joined(separator: ","))]",
    "--threads", "1", "--onnx-library", Place.onnxLibrary,
  ]
  private static let program =
    [Place.onnxFloor, Place.onnxLibrary, Place.tinyONNXBundle + "/model.onnx"] + numbers

  private static func script(_ verb: String) -> [String] {
    [Place.python, Place.onnxScript, verb, Place.tinyONNXBundle + "/model.onnx"] + numbers
  }
}

/// A model in TensorIO and in ONNX Runtime alone, in one process and one library.
private struct ONNXSubject {
  let model: Model
  let floor: ONNXFloor
  let input: [Float]

  init(_ path: String, count: Int) throws {
    let bundle = try ModelBundle(at: path)
    input = (0..<count).map { Float($0 % 256) / 255 }
    model = try Model(
      bundle,
      options: OpeningOptions(threads: 1, libraries: [.onnx: Place.onnxLibrary])
    )
    floor = ONNXFloor(
      library: Place.onnxLibrary, model: try bundle.modelFile.path, input: input)
  }

  var ours: Contender {
    get throws {
      let outputCount = floor.output.count
      return try .repeating { [model, input] times in
        var output = [Float](repeating: 0, count: outputCount)
        for _ in 0..<times { try model.run(input, into: &output) }
      }
    }
  }

  func contest() throws -> Contest {
    Contest(
      try ours, against: try .repeating { [floor] in floor.writeRunRead(times: $0) },
      agreement: try agreement())
  }

  func agreement() throws -> String {
    var output = [Float](repeating: 0, count: floor.output.count)
    try model.run(input, into: &output)
    return output == floor.output ? "same numbers" : "other numbers"
  }
}
