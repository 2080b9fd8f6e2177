import Foundation
import TensorIO
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Tests of `tensorio stream` with frames on standard input.
@Suite struct StreamTests {
  /// Concatenated JPEG files of digits.
  private static func jpegs(_ names: String...) throws -> [UInt8] {
    try names.flatMap { name in
      try ImageBuffer(contentsOf: Example.digit(name)).encoded(as: .jpeg())
    }
  }

  private func stream(
    _ input: [UInt8], _ arguments: String..., bundle: String = Example.digits,
    isTerminal: Bool = false
  ) -> CommandResult {
    var console = TestConsole()
    console.input = input
    console.isTerminal = isTerminal
    return console.run(["stream", bundle, "-"] + arguments)
  }

  private func best(_ record: JSONTree) -> String? {
    record["outputs"]?["classification"]?[0]?["label"]?.string
  }

  @Test func `Each JPEG file has a record, in order`() throws {
    let outcome = stream(try Self.jpegs("7-1", "2-1", "0-1"), "--frame-rate", "10")
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.map(best) == ["7", "2", "0"])
    #expect(records.map { $0["frame"]?.number } == [0, 1, 2])
    #expect(records.map { $0["time_s"]?.number } == [0, 0.1, 0.2])
    #expect(outcome.firstMessageLine.hasPrefix("3 frames in, 3 out, 0 dropped · "))
    for stage in ["mean", "p50", "p95", "image", "input", "run", "output", "total"] {
      #expect(outcome.messages.contains(stage))
    }
  }

  @Test func `Frames that arrive too soon are dropped and counted`() throws {
    let outcome = stream(
      try Self.jpegs("7-1", "2-1", "0-1", "1-1", "4-1"), "--frame-rate", "10", "--min-interval",
      "0.2")
    #expect(outcome.exitCode == 0)
    #expect(try outcome.jsonLines().map { $0["frame"]?.number } == [0, 2, 4])
    #expect(outcome.firstMessageLine.hasPrefix("5 frames in, 3 out, 2 dropped"))
  }

  @Test func `Raw pixels and PPM files are accepted as frames`() throws {
    let image = try ImageBuffer(contentsOf: Example.digit("7-1")).converted(to: .rgb)
    let size = "\(image.width)x\(image.height)"
    let raw = stream(image.pixels + image.pixels, "--frame-size", size)
    #expect(try raw.jsonLines().map(best) == ["7", "7"])
    let header = Array("P6\n\(image.width) \(image.height)\n255\n".utf8)
    let pixmaps = stream(header + image.pixels + header + image.pixels)
    #expect(try pixmaps.jsonLines().map(best) == ["7", "7"])
  }

  @Test func `A corrupt frame fails alone`() throws {
    let whole = try Self.jpegs("7-1")
    let outcome = stream(whole + Array(whole.prefix(whole.count / 2)) + whole)
    #expect(outcome.exitCode == 1)
    let records = try outcome.jsonLines()
    #expect(records.map(best) == ["7", nil, "7"])
    #expect(records[1]["frame"]?.number == 1)
    #expect(records[1]["error"]?["code"]?.string == "truncated-image")
    #expect(outcome.messages.contains("3 frames in, 2 out, 0 dropped, 1 failed"))
  }

  @Test func `A truncated stream keeps the processed frames`() throws {
    let whole = try Self.jpegs("7-1")
    let outcome = stream(whole + whole.dropLast(100))
    #expect(outcome.exitCode == 1)
    #expect(try outcome.jsonLines().map(best) == ["7"])
    #expect(outcome.firstMessageLine.contains("the stream ends in frame 1"))
  }

  @Test(arguments: ["", "no images at all"])
  func `A stream without frames is an error`(_ text: String) {
    let outcome = stream(Array(text.utf8))
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine == "tensorio: the stream has no frames")
  }

  @Test func `On a terminal each frame has a line`() throws {
    let outcome = stream(try Self.jpegs("7-1", "2-1"), "--frame-rate", "4", isTerminal: true)
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines[1].hasPrefix("0.25 s  classification: (1.00) 2, "))
  }

  @Test func `Labels are smoothed if the bundle's formatter smooths them`() throws {
    let folder = try TemporaryFolder()
    let bundle = try folder.copy(Example.digits, as: "smoothed.tiobundle")
    let file = URL(filePath: "\(bundle)/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing("image.classification.digits", with: "image.classification.imagenet")
    try Data(text.utf8).write(to: file)
    let input = try Self.jpegs("7-1", "2-1")
    let records = try stream(input, bundle: bundle).jsonLines()
    let lines = records.compactMap { $0["text"]?.string }
    #expect(lines[0].hasSuffix(") 7") && lines[0].split(separator: ",").count == 1)
    // The score of the new label rises and that of the old one falls over several frames.
    #expect(lines[1].contains(") 7, (0.3") || lines[1].contains(") 7, (0.2"), "\(lines)")
    // Only the text is smoothed, not the outputs.
    #expect(best(records[1]) == "2")
  }

  /// A model with a state, and its frames.
  struct StatefulModel: Sendable {
    let model: FixturePath
    let frames: [FixturePath]
  }

  static let statefulModels = [
    StatefulModel(
      model: FixturePath("Conformance/tracker.tflite"),
      frames: [1, 2].map { FixturePath("Conformance/images/frame-\($0).png") }),
    StatefulModel(
      model: FixturePath("shared:real/models/traffic_model.tflite"),
      frames: [1, 2].map { FixturePath("shared:real/images/traffic_000\($0).bmp") }),
  ].filter(\.model.isAvailable)

  @Test func `The number of models with a state is printed`() {
    let shared = Self.statefulModels.filter(\.model.isShared)
    CaseCount.report(
      "stream", project: 2 * (Self.statefulModels.count - shared.count), shared: 2 * shared.count)
  }

  @Test(arguments: statefulModels)
  func `Frames have the same results as items`(_ stateful: StatefulModel) throws {
    let folder = try TemporaryFolder()
    let bundle = "\(folder.path)/stateful.tiobundle"
    #expect(TestConsole.run(["init", stateful.model.path, "-o", bundle]).exitCode == 0)
    let images = stateful.frames.map(\.path)
    let items = try TestConsole.run(["run", bundle] + images + ["--format", "ndjson"]).jsonLines()
    let frames = try images.flatMap { path in
      let image = try ImageBuffer(contentsOf: path).upright().converted(to: .rgb)
      return Array("P6\n\(image.width) \(image.height)\n255\n".utf8) + image.pixels
    }
    let records = try stream(frames, bundle: bundle).jsonLines()
    #expect(records.count == 2)
    for (record, item) in zip(records, items) {
      #expect(record["outputs"]?["detections"]?.array?.isEmpty == false)
      #expect(record["outputs"] == item["outputs"])
    }
  }

  @Test func `Annotated frames are written to numbered files`() throws {
    let folder = try TemporaryFolder()
    let outcome = stream(
      try Self.jpegs("7-1", "2-1", "0-1"), "--frame-rate", "10", "--min-interval", "0.2",
      "--annotate",
      folder.path)
    #expect(outcome.exitCode == 0)
    #expect(folder.entries == ["frame-000000.jpg", "frame-000002.jpg"])
    #expect(
      try outcome.jsonLines().map { $0["annotated"]?.string }
        == folder.entries.map { "\(folder.path)/\($0)" })
    #expect(outcome.messages.contains("draw") && outcome.messages.contains("encode"))
  }

  @Test func `An output image is written without annotations`() throws {
    let folder = try TemporaryFolder()
    let bundle = try TinyBundle.negative()
    let white = [UInt8](repeating: 255, count: 8 * 8 * 3)
    let outcome = stream(
      white, "--frame-size", "8x8", "--annotate", folder.path, "--frame-format", "png",
      bundle: bundle.path)
    #expect(outcome.exitCode == 0)
    let image = try ImageBuffer(contentsOf: "\(folder.path)/frame-000000.png")
    #expect(image.width == 8 && image.pixels.allSatisfy { $0 == 0 })
    #expect(try outcome.jsonLines()[0]["outputs"]?["negative"]?["png"] == nil)
  }

  @Test(arguments: [
    (["stream"], "missing <bundle>"),
    (["stream", "DIGITS", "-", "--frame-size", "640"], "--frame-size takes a width and a height"),
    (
      ["stream", "DIGITS", "video.mp4", "--frame-size", "640x480"],
      "a video file contains its frame size"
    ),
    (
      ["stream", "DIGITS", "-", "--min-interval", "-1"],
      "--min-interval takes a number of seconds from 0"
    ),
    (
      ["stream", "DIGITS", "-", "--frame-rate", "0"],
      "--frame-rate takes a number of frames per second from"
    ),
    (["stream", "DIGITS", "-", "stray"], "'stray' is not an input of this model"),
    (["stream", "DIGITS", "-", "image=x"], "that is not given as NAME=VALUE"),
    (["stream", "DIABETES", "-"], "a stream requires a model with an image or audio input"),
    (["stream", "DIGITS", "-", "--line", "1,2,3"], "--line takes two points"),
    (["stream", "DIGITS", "-", "--line", "1,2,1,2"], "--line takes two points"),
    (["stream", "DIGITS", "-", "--zone", "1,2,3,4"], "--zone takes three or more points"),
    (["stream", "DIGITS", "-", "--zone", "1,2,3,4,5,nan"], "--zone takes three or more points"),
    (
      ["stream", "DIGITS", "-", "--track"],
      "--track, --line and --zone require a bundle whose task is detection or pose"
    ),
  ])
  func `An invalid command line is rejected`(_ arguments: [String], _ message: String) {
    let filled = arguments.map {
      $0.replacing("DIGITS", with: Example.digits).replacing("DIABETES", with: Example.diabetes)
    }
    let outcome = TestConsole.run(filled)
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.contains(message), "\(outcome.messages)")
  }
}
