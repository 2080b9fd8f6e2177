import Foundation
import TensorIO
import TensorIOImage
import TensorIOTestSupport
import Testing

/// `tensorio stream`, with frames on the standard input.
@Suite struct StreamTests {
  /// Pictures of digits as JPEGs, one behind the other.
  private static func jpegs(_ names: String...) throws -> [UInt8] {
    try names.flatMap { name in
      try ImageBuffer(contentsOf: Example.digit(name)).encoded(as: .jpeg())
    }
  }

  private func stream(
    _ input: [UInt8], _ words: String..., bundle: String = Example.digits,
    isTerminal: Bool = false
  ) -> CommandResult {
    var console = TestConsole()
    console.input = input
    console.isTerminal = isTerminal
    return console.run(["stream", bundle, "-"] + words)
  }

  private func best(_ record: JSONTree) -> String? {
    record["outputs"]?["classification"]?[0]?["label"]?.string
  }

  @Test func `every JPEG has a record, in order`() throws {
    let outcome = stream(try Self.jpegs("7-1", "2-1", "0-1"), "--rate", "10")
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.map(best) == ["7", "2", "0"])
    #expect(records.map { $0["frame"]?.number } == [0, 1, 2])
    #expect(records.map { $0["time_s"]?.number } == [0, 0.1, 0.2])
    #expect(outcome.firstMessageLine.hasPrefix("3 frames in, 3 out, 0 dropped · "))
    for stage in ["mean", "p50", "p95", "picture", "input", "run", "output", "total"] {
      #expect(outcome.messages.contains(stage))
    }
  }

  @Test func `frames that come too soon are dropped and counted`() throws {
    let outcome = stream(
      try Self.jpegs("7-1", "2-1", "0-1", "1-1", "4-1"), "--rate", "10", "--min-delay", "0.2")
    #expect(outcome.exitCode == 0)
    #expect(try outcome.jsonLines().map { $0["frame"]?.number } == [0, 2, 4])
    #expect(outcome.firstMessageLine.hasPrefix("5 frames in, 3 out, 2 dropped"))
  }

  @Test func `bare pixels and pixmaps are frames, too`() throws {
    let picture = try ImageBuffer(contentsOf: Example.digit("7-1")).converted(to: .rgb)
    let size = "\(picture.width)x\(picture.height)"
    let raw = stream(picture.pixels + picture.pixels, "--size", size)
    #expect(try raw.jsonLines().map(best) == ["7", "7"])
    let header = Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8)
    let pixmaps = stream(header + picture.pixels + header + picture.pixels)
    #expect(try pixmaps.jsonLines().map(best) == ["7", "7"])
  }

  @Test func `a frame that is damaged fails alone`() throws {
    let whole = try Self.jpegs("7-1")
    let outcome = stream(whole + whole.prefix(whole.count / 2) + whole)
    #expect(outcome.exitCode == 1)
    let records = try outcome.jsonLines()
    #expect(records.map(best) == ["7", nil, "7"])
    #expect(records[1]["frame"]?.number == 1)
    #expect(records[1]["error"]?["code"]?.string == "truncated-picture")
    #expect(outcome.messages.contains("3 frames in, 2 out, 0 dropped, 1 failed"))
  }

  @Test func `a stream that ends within a frame keeps what was done`() throws {
    let whole = try Self.jpegs("7-1")
    let outcome = stream(whole + whole.dropLast(100))
    #expect(outcome.exitCode == 1)
    #expect(try outcome.jsonLines().map(best) == ["7"])
    #expect(outcome.firstMessageLine.contains("the stream ends within frame 1"))
  }

  @Test(arguments: ["", "no pictures at all"])
  func `a stream without frames is unreadable`(_ text: String) {
    let outcome = stream(Array(text.utf8))
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine == "tensorio: there are no frames")
  }

  @Test func `on a terminal there is a line for each frame`() throws {
    let outcome = stream(try Self.jpegs("7-1", "2-1"), "--rate", "4", isTerminal: true)
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines[1].hasPrefix("0.25 s  classification: (1.00) 2, "))
  }

  @Test func `labels are steadied where the bundle's formatter steadies them`() throws {
    let folder = try TemporaryFolder()
    let bundle = try folder.copy(Example.digits, as: "steady.tiobundle")
    let file = URL(filePath: "\(bundle)/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing("image.classification.digits", with: "image.classification.imagenet")
    try Data(text.utf8).write(to: file)
    let input = try Self.jpegs("7-1", "2-1")
    let records = try stream(input, bundle: bundle).jsonLines()
    let lines = records.compactMap { $0["text"]?.string }
    #expect(lines[0].hasSuffix(") 7") && lines[0].split(separator: ",").count == 1)
    // The new label is not yet as sure as it will be, and the old one has not yet gone.
    #expect(lines[1].contains(") 7, (0.3") || lines[1].contains(") 7, (0.2"), "\(lines)")
    // Pictures are steadied alike, and the outputs are the model's own.
    #expect(best(records[1]) == "2")
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `frames are answered as items are`() throws {
    SharedFixtures.report("stream", 2)
    let folder = try TemporaryFolder()
    let bundle = "\(folder.path)/traffic.tiobundle"
    let model = SharedFixtures.path("real/models/traffic_model.tflite")
    #expect(TestConsole.run(["init", model, "-o", bundle]).exitCode == 0)
    let pictures = ["1", "2"].map { SharedFixtures.path("real/images/traffic_000\($0).bmp") }
    let items = try TestConsole.run(["run", bundle] + pictures + ["--format", "ndjson"]).jsonLines()
    let frames = try pictures.flatMap { path in
      let picture = try ImageBuffer(contentsOf: path).upright().converted(to: .rgb)
      return Array("P6\n\(picture.width) \(picture.height)\n255\n".utf8) + picture.pixels
    }
    let records = try stream(frames, bundle: bundle).jsonLines()
    #expect(records.count == 2)
    for (record, item) in zip(records, items) {
      #expect(record["outputs"]?["detections"]?.array?.isEmpty == false)
      #expect(record["outputs"] == item["outputs"])
    }
  }

  @Test func `annotated frames go into a folder, numbered`() throws {
    let folder = try TemporaryFolder()
    let outcome = stream(
      try Self.jpegs("7-1", "2-1", "0-1"), "--rate", "10", "--min-delay", "0.2", "--annotate",
      folder.path)
    #expect(outcome.exitCode == 0)
    #expect(folder.entries == ["frame-000000.png", "frame-000002.png"])
    #expect(
      try outcome.jsonLines().map { $0["annotated"]?.string }
        == folder.entries.map { "\(folder.path)/\($0)" })
    #expect(outcome.messages.contains("draw"))
  }

  @Test func `a picture that comes out stands for itself`() throws {
    let folder = try TemporaryFolder()
    let bundle = try TinyBundle.negative()
    let white = [UInt8](repeating: 255, count: 8 * 8 * 3)
    let outcome = stream(
      white, "--size", "8x8", "--annotate", folder.path, bundle: bundle.path)
    #expect(outcome.exitCode == 0)
    let picture = try ImageBuffer(contentsOf: "\(folder.path)/frame-000000.png")
    #expect(picture.width == 8 && picture.pixels.allSatisfy { $0 == 0 })
    #expect(try outcome.jsonLines()[0]["outputs"]?["negative"]?["png"] == nil)
  }

  @Test(arguments: [
    (["stream"], "name a bundle"),
    (["stream", "DIGITS", "-", "--size", "640"], "--size takes a width and a height"),
    (["stream", "DIGITS", "video.mp4", "--size", "640x480"], "a video says itself"),
    (["stream", "DIGITS", "-", "--min-delay", "-1"], "--min-delay takes a number from 0"),
    (["stream", "DIGITS", "-", "--rate", "0"], "--rate takes a number from"),
    (["stream", "DIGITS", "-", "stray"], "'stray' is no input of this model"),
    (["stream", "DIGITS", "-", "image=x"], "this model has none left"),
    (["stream", "DIABETES", "-"], "a stream needs an input that takes pictures"),
  ])
  func `what makes no sense is refused`(_ words: [String], _ message: String) {
    let filled = words.map {
      $0.replacing("DIGITS", with: Example.digits).replacing("DIABETES", with: Example.diabetes)
    }
    let outcome = TestConsole.run(filled)
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.contains(message), "\(outcome.messages)")
  }
}
