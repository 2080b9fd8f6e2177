import Foundation
import TensorIO
import TensorIOImage

/// From a picture to a model's input, as OpenCV does it.
extension Job {
  static let preparation =
    [resize("linear", .linear), resize("area", .area)] + [blob, normalize]
    + [
      jpeg("linear", .linear, .time(times: 1)), jpeg("bilinear", .bilinear, .time(times: 1.2)),
      halfJPEG("linear", .linear, .time(times: 1)),
      halfJPEG("bilinear", .bilinear, .time(times: 1.2)),
    ]

  private static func resize(_ name: String, _ filter: ImageFilter) -> Job {
    Job(
      "resize-\(name)", "\(name), 1280×720 to 224×224 RGB", against: "OpenCV", .time(times: 1)
    ) {
      let peer = try OpenCV(name)
      let source = try Subject.noise()
      let preparation = ImagePreparation(
        width: Subject.side, height: Subject.side, fit: .stretch, filter: filter)
      let result = try preparation(source).image
      return Contest(
        try .repeating { for _ in 0..<$0 { _ = try preparation(source) } }, against: peer.contender,
        agreement: agreement(result.pixels.map(Float.init), try peer.bytes().map(Float.init)))
    }
  }

  private static var blob: Job {
    Job(
      "blob", "linear, 1280×720 to 3×224×224 floats, BGR", against: "OpenCV: blobFromImage",
      .time(times: 0.5)
    ) {
      let peer = try OpenCV("blob")
      let subject = try Subject(format: "BGR", layout: "NCHW", filter: .linear)
      let input = ModelInput.value(.image(try Subject.noise()))
      return try subject.contest(peer, peer.floats()) { input }
    }
  }

  private static var normalize: Job {
    Job(
      "normalize", "224×224×3 pixels to floats", against: "numpy", .time(microseconds: 15)
    ) {
      let peer = try OpenCV("normalize")
      let pixels = try OpenCV("area").bytes()
      let subject = try Subject(format: "RGB", layout: "NHWC", filter: .linear)
      let picture = try ImageBuffer(
        width: Subject.side, height: Subject.side, format: .rgb, pixels: pixels)
      let input = ModelInput.value(.image(picture))
      return try subject.contest(peer, peer.floats()) { input }
    }
  }

  private static func jpeg(_ name: String, _ filter: ImageFilter, _ goal: Goal) -> Job {
    Job(
      "jpeg-\(name)", "JPEG to floats, \(name)", against: "OpenCV: reduced, linear", goal
    ) {
      let (peer, subject) = (try OpenCV("jpeg"), try Subject(bgr: filter))
      let bytes = try Subject.jpeg()
      return try subject.contest(peer, peer.normalized()) { .value(.bytes(bytes)) }
    }
  }

  private static func halfJPEG(_ name: String, _ filter: ImageFilter, _ goal: Goal) -> Job {
    Job(
      "jpeg-half-\(name)", "JPEG to floats, \(name), decoded at half size like the peer",
      against: "OpenCV: reduced, linear", goal
    ) {
      let (peer, subject) = (try OpenCV("jpeg"), try Subject(bgr: filter, .single))
      let bytes = try Subject.jpeg()
      return try subject.contest(peer, peer.normalized()) { .value(.bytes(bytes)) }
    }
  }
}

/// The largest difference, in steps of 255.
private func agreement(_ ours: [Float], _ theirs: [Float], step: Float = 1) -> String {
  guard ours.count == theirs.count else { return "another size" }
  let largest = zip(ours, theirs).map { abs($0 - $1) }.max() ?? 0
  return "pixels within \(Int((largest / step).rounded()))"
}

/// A model that takes a picture and does nothing with it.
private struct Subject {
  static let side = 224
  static let step: Float = 1 / 127.5

  let model: Model
  let tensor: TensorKeeper

  init(bgr filter: ImageFilter, _ detail: DecodeScale = .double) throws {
    try self.init(format: "BGR", layout: "NHWC", filter: filter, detail)
  }

  init(
    format: String, layout: String, filter: ImageFilter, _ detail: DecodeScale = .double
  ) throws {
    let (rows, channels) = ([Self.side, Self.side], [3])
    let shape = layout == "NCHW" ? channels + rows : rows + channels
    tensor = TensorKeeper(shape: [1] + shape)
    let folder = URL(fileURLWithPath: Place.pixels + "/keeper.tiobundle")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appendingPathComponent("model.tflite"))
    let text = Self.description(shape: shape, format: format, layout: layout, filter: filter)
    try Data(text.utf8).write(to: folder.appendingPathComponent("model.json"))
    let (runtimes, keeper) = (RuntimeRegistry(), tensor)
    runtimes.register(RuntimeDescriptor(.tflite, displayName: "tensors") { _ in keeper })
    model = try Model(
      ModelBundle(at: folder.path), options: OpeningOptions(decodeScale: detail, runtimes: runtimes)
    )
  }

  private static func description(
    shape: [Int], format: String, layout: String, filter: ImageFilter
  ) -> String {
    """
    {
      "name": "keeper", "details": "-", "id": "keeper", "version": "1", "author": "-",
      "license": "-",
      "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
        "modes": ["predict"]},
      "inputs": [{"name": "picture", "type": "image", "shape": \(shape), "format": "\(format)",
        "layout": "\(layout)", "fit": "stretch", "filter": "\(filter.rawValue)",
        "normalize": {"standard": "[-1,1]"}}],
      "outputs": [{"name": "nothing", "type": "array", "shape": [1]}]
    }
    """
  }

  /// What `resize.py` works on, as it writes it.
  static func noise() throws -> ImageBuffer {
    let label = "area 1280x720 224x224"
    _ = try Subprocess.output(of: [
      Place.python, Place.resizeScript, "--only", label, "--rounds", "1", "--iterations", "1",
      "--write", Place.pixels,
    ])
    let file = URL(fileURLWithPath: "\(Place.pixels)/\(label) source.rgb")
    return try ImageBuffer(
      width: 1280, height: 720, format: .rgb, pixels: [UInt8](Data(contentsOf: file)))
  }

  static func jpeg() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: Place.picture)))
  }

  /// The way of an input into the tensor, and how what it leaves there differs from the peer's.
  func contest(
    _ peer: OpenCV, _ expected: [Float], _ input: @escaping () throws -> ModelInput
  ) throws -> Contest {
    _ = try model.run(input())
    let text = agreement(tensor.elements, expected, step: Self.step)
    return Contest(
      try .repeating { [model] times in for _ in 0..<times { _ = try model.run(input()) } },
      against: peer.contender, agreement: text)
  }
}

/// One of `opencv.py`'s measurements, on one thread.
private struct OpenCV {
  private static let script = "Benchmarks/peers/opencv.py"

  let contender: Contender
  private let name: String

  init(_ name: String) throws {
    self.name = name
    let command = [
      Place.python, Self.script, "--only", name, "--picture", Place.picture, "--rounds", "1",
      "--iterations", "15", "--threads", "1",
    ]
    contender = .peer(command, median: name)
    _ = try Subprocess.output(of: command + ["--write", Place.pixels])
  }

  /// What it makes of the picture.
  func bytes() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(Place.pixels)/opencv \(name).raw")))
  }

  func floats() throws -> [Float] {
    let bytes = try bytes()
    return stride(from: 0, to: bytes.count - 3, by: 4).map { place in
      Float(bitPattern: bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  /// Its bytes as the model's floats.
  func normalized() throws -> [Float] { try bytes().map { Float($0) * Subject.step - 1 } }
}
