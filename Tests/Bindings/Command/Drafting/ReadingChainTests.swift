import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// Chains that read text, with the small models of `Scripts/fixtures/onnx-models/reading.py`, whose characters are colored
/// blocks.
@Suite(.ownThreads) struct ReadingChainTests {
  private static let models = ProjectFiles.path("Tests/Fixtures/Reading/models")
  private static let characters = Array("abcdefg")

  private let folder: TemporaryFolder
  private var chain: String { folder.path + "/ocr.tiochain" }

  init() throws { folder = try TemporaryFolder() }

  /// A line of blocks.
  private struct Line {
    let text: String
    let x, y: Int
    var size = 12
    var isUpsideDown = false
    var isTall = false
  }

  /// Draws lines on white.
  private func image(_ lines: [Line], width: Int = 300, height: Int = 200) throws -> ImageBuffer {
    var pixels = [UInt8](repeating: 255, count: width * height * 3)
    for line in lines {
      let length = line.text.count * (line.size + 4)
      for (index, character) in line.text.enumerated() {
        let number = Self.characters.firstIndex(of: character) ?? 0
        let color = [number & 1, number >> 1 & 1, number >> 2 & 1].map { UInt8($0 * 254) }
        for v in 0..<line.size {
          let margin = v < line.size / 2 ? line.size / 4 : 0
          for u in margin..<line.size - margin {
            var (x, y) = (index * (line.size + 4) + u, v)
            if line.isUpsideDown { (x, y) = (length - 1 - x, line.size - 1 - y) }
            // A tall line begins above, and its blocks' bottoms are at the left.
            if line.isTall { (x, y) = (line.size - 1 - y, x) }
            let start = ((line.y + y) * width + line.x + x) * 3
            pixels.replaceSubrange(start..<start + 3, with: color)
          }
        }
      }
    }
    return try ImageBuffer(width: width, height: height, format: .rgb, pixels: pixels)
  }

  private func draft(_ source: String = models) throws {
    let made = TestConsole.run(["init", source, "-o", chain, "--force", "--format", "json"])
    try #require(made.exitCode == 0, "\(made.messages)")
  }

  private func model() throws -> Model {
    try draft()
    return try Model(at: chain, options: OpeningOptions(threads: 1))
  }

  private static let lines = [
    Line(text: "abcdefg", x: 20, y: 20), Line(text: "ggaab", x: 180, y: 20),
    Line(text: "feed", x: 30, y: 80, size: 20),
    Line(text: "cab", x: 170, y: 140, size: 16, isUpsideDown: true),
  ]

  @Test func `A folder with a detector, a classifier and a recognizer becomes a chain`() throws {
    try draft()
    let validated = TestConsole.run(["validate", chain, "--strict"])
    #expect(validated.exitCode == 0, "\(validated.output)\(validated.messages)")
    let text = TestConsole.run(["inspect", chain])
    #expect(text.output.contains("crop") && text.output.contains("6 images at once"))
    #expect(TestConsole.run(["inspect", chain, "--format", "json"]).output.contains("turn_above"))
  }

  @Test func `Folders with the settings of PaddleOCR become a chain`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.models).sorted()
    let source = "\(folder.path)/exported"
    for (index, name) in names.filter({ $0.hasSuffix(".onnx") }).enumerated() {
      let part = "exported/\(index)"
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(part)", withIntermediateDirectories: true)
      try folder.copy("\(Self.models)/\(name)", as: "\(part)/inference.onnx")
      let stem = String(name.dropLast(5))
      try folder.write(
        """
        Global:
          model_name: \(stem)
        PreProcess:
          transform_ops:
          - DecodeImage:
              channel_first: false
              img_mode: BGR
          - DetResizeForTest:
              resize_long: 960
          - ToCHWImage: null
          - NormalizeImage:
              mean:
              - 0.485
              - 0.456
              - 0.406
              scale: 1./255.
              std: [0.229, 0.224, 0.225]
        PostProcess:
          name: DBPostProcess
          thresh: 0.25
          box_thresh: 0.6
          unclip_ratio: 1.5

        """, to: "\(part)/inference.yml")
    }
    let made = TestConsole.run(["init", source, "-o", chain, "--format", "json"])
    try #require(made.exitCode == 0, "\(made.messages)")
    let detector = try JSONTree(contentsOf: "\(chain)/detector.tiobundle/model.json")
    #expect(detector["task"]?["pixel_threshold"]?.number == 0.25)
    #expect(detector["task"]?["min_score"]?.number == 0.6)
    #expect(detector["task"]?["unclip_ratio"]?.number == 1.5)
    let input = detector["inputs"]?[0]
    #expect(input?["size"]?["longer"]?.number == 960 && input?["size"]?["shorter"] == nil)
    #expect(input?["format"]?.string == "BGR", "\(String(describing: input))")
    // The first mean is that of blue.
    let red = try #require(input?["normalize"]?["mean"]?[0]?.number)
    #expect(abs(red - 0.406) < 1e-6)
    #expect(TestConsole.run(["validate", chain]).exitCode == 0)
    let reported = try made.json()["values"]?.array ?? []
    #expect(
      reported.contains {
        $0["path"]?.string == "/detector/task/unclip_ratio" && $0["source"]?.string == "folder"
      })
  }

  @Test func `The lines of an image are read, also those that are upside down`() throws {
    let lines = try model().run(image(Self.lines)).textLines
    #expect(lines.map(\.text) == ["abcdefg", "ggaab", "feed", "cab"])
    #expect(lines.text == "abcdefg\nggaab\nfeed\ncab")
    #expect(lines.allSatisfy { $0.score > 0.8 })
    let box = lines[2].box
    #expect((0...30).contains(box.xmin) && (110...160).contains(box.xmax))
    #expect((60...80).contains(box.ymin) && (100...120).contains(box.ymax))
    // The words of the line that is upside down begin at the right.
    let corners = try #require(lines[3].words.first).corners
    #expect(corners[0].x > corners[1].x && corners[0].y > corners[3].y)
  }

  @Test func `A line that runs downwards is turned`() throws {
    let tall = Line(text: "gedab", x: 100, y: 30, size: 16, isTall: true)
    let lines = try model().run(image([tall])).textLines
    #expect(lines.map(\.text) == ["gedab"])
    #expect(lines[0].box.height > lines[0].box.width)
  }

  @Test func `A batch of lines has the texts of single lines`() throws {
    try draft()
    let description = try ChainDescription(
      json: Array(Data(contentsOf: URL(filePath: chain + "/chain.json"))))
    let batched = try Chain(at: chain)
    var single = description
    for index in single.steps.indices { single.steps[index].batch = nil }
    let image = try image(Self.lines)
    let alone = try Chain(single, models: batched.models)
    let (one, other) = (try batched.run(["image": image]), try alone.run(["image": image]))
    let texts = (one.linesByStep["recognizer"] ?? []).map { $0.text ?? "" }
    #expect(texts.count == 4)
    #expect(texts == (other.linesByStep["recognizer"] ?? []).map { $0.text ?? "" })
  }

  @Test func `The result has columns, a table, hOCR and outlines`() throws {
    let output = try model().run(image(Array(Self.lines.prefix(2))))
    guard case .lists(let ends, of: .records(let members))? = try output.resultColumn else {
      Issue.record("other columns")
      return
    }
    #expect(ends == [2] && members.map(\.name) == ["text", "score", "corners", "words"])
    let lines = try output.textLines
    #expect(
      lines.hOCR.contains(#"<span class="ocrx_word""#) && lines.hOCR.contains(">ggaab</span>"))
    #expect(lines.hOCR.contains(#"<div class="ocr_page" title="bbox 0 0 300 200">"#))
    #expect(lines.overlay.elements.count == 2 && lines.summary == "abcdefg, ggaab")
    #expect(lines.textLines[1].hasPrefix("    abcdefg  0."))
    // Clients of tensors have outputs.
    #expect(output.names == ["boxes", "scores", "texts"])
    #expect(try output.value(of: "texts", as: [String].self) == ["abcdefg", "ggaab"])
    #expect(try output.tensor("boxes").shape == [1, 2, 4, 2])
  }

  @Test func `Options select lines by their scores`() throws {
    let output = try model().run(image(Self.lines))
    let best = try #require(try output.textLines.max { $0.score < $1.score })
    var options = ResultOptions()
    (options.minimumScore, options.top) = (best.score, 1)
    let selected = try TaskPostprocessor(model(), options).process(output).result
    #expect((selected as? TextLines)?.all == [best])
  }

  @Test func `An image without text has no lines`() throws {
    let model = try model()
    for (width, height) in [(300, 200), (1, 1), (2, 900), (2000, 20)] {
      let lines = try model.run(image([], width: width, height: height)).textLines
      #expect(lines.isEmpty && lines.text.isEmpty && lines.summary.isEmpty)
      #expect(lines.hOCR.hasSuffix("</body></html>\n"))
      #expect(lines.textLines == ["  lines", "    none"])
    }
    let black = try ImageBuffer.filled(width: 60, height: 40, red: 0, green: 0, blue: 0)
    #expect(try model.run(black).textLines.count <= 1)
  }

  @Test func `Noise is read in bounded time`() throws {
    var generator = SeededGenerator(seed: 2)
    let pixels = (0..<400 * 300 * 3).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let noise = try ImageBuffer(width: 400, height: 300, format: .rgb, pixels: pixels)
    #expect(try model().run(noise).textLines.count <= 1000)
  }

  @Test func `A long strip has bars, and its line is read`() throws {
    try draft()
    // Black bars would be blocks.
    let file = URL(filePath: chain + "/detector.tiobundle/model.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let padded = text.replacing("\"filter\"", with: "\"pad\": \"#ffffff\", \"filter\"")
    try padded.write(to: file, atomically: false, encoding: .utf8)
    let strip = Line(text: "abcdefgabcdefg", x: 20, y: 4, size: 24)
    let lines = try Model(at: chain).run(image([strip], width: 900, height: 32)).textLines
    #expect(lines.map(\.text) == ["abcdefgabcdefg"])
  }

  @Test func `Gray images, and those with alpha or an orientation, are read`() throws {
    let model = try model()
    let black = Line(text: "aaa", x: 30, y: 40, size: 20)
    let gray = try image([black]).converted(to: .gray)
    #expect(try model.run(gray).textLines.map(\.text) == ["aaa"])
    #expect(try model.run(image([black]).converted(to: .rgba)).textLines.map(\.text) == ["aaa"])
    var turned = try image(Self.lines)
    turned.orientation = .down
    let texts = try model.run(turned).textLines.map { $0.text ?? "" }
    #expect(Set(texts) == ["abcdefg", "ggaab", "feed", "cab"])
    let bytes = try image(Self.lines).encoded(as: ImageEncoding.png)
    #expect(try model.run(ModelInput.value(.bytes(bytes))).textLines.count == 4)
  }

  @Test func `The detector and the recognizer run alone`() throws {
    try draft()
    let detector = try Model(at: chain + "/detector.tiobundle")
    let found = try detector.run(image(Self.lines)).textLines
    #expect(found.count == 4 && found.allSatisfy { $0.text == nil && $0.words.isEmpty })
    #expect(found.summary == "4 lines" && found.textLines[1].contains("–"))
    let recognizer = try Model(at: chain + "/recognizer.tiobundle")
    let line = try image([Line(text: "bad", x: 10, y: 6, size: 20)], width: 100, height: 32)
    let read = try recognizer.run(line).textLine
    #expect(read.text == "bad" && read.words.count == 1)
    #expect(read.corners.map(\.x) == [0, 100, 100, 0])
    #expect(abs(read.words[0].corners[0].x - 10) < 5 && abs(read.words[0].corners[1].x - 78) < 6)
    #expect(read.summary == "bad" && read.textLines[0].hasPrefix("  bad  0."))
  }

  @Test func `Characters that do not fit the classes are an error`() throws {
    try draft()
    let bundle = chain + "/recognizer.tiobundle"
    try "a\nb\n".write(
      toFile: bundle + "/assets/characters.txt", atomically: false, encoding: .utf8)
    let line = try image([Line(text: "bad", x: 10, y: 6, size: 20)], width: 100, height: 32)
    let error = #expect(throws: ModelError.self) {
      _ = try Model(at: bundle).run(line).textLine
    }
    #expect("\(try #require(error))".contains("9 classes, but 'characters' has 2 lines"))
    try FileManager.default.removeItem(atPath: bundle + "/assets/characters.txt")
    #expect(throws: ModelError.self) { _ = try Model(at: bundle).run(line).textLine }
  }

  @Test func `A chain is evaluated with the overlap of outlines and the errors of texts`() throws {
    try draft()
    try folder.write(image(Self.lines).encoded(as: ImageEncoding.png), to: "page.png")
    // Lines as they are found; one text is wrong, one line is missing, and one was invented.
    let found = try Model(at: chain).run(image(Self.lines)).textLines
    let truth = zip(found, ["abcdefg", "ggaaX", "feed"]).map { line, text in
      let points = line.corners.map { "[\($0.x), \($0.y)]" }.joined(separator: ", ")
      return #"{"transcription": "\#(text)", "points": [\#(points)]}"#
    }
    let missing = #"{"transcription": "zz", "points": [[0,180],[30,180],[30,195],[0,195]]}"#
    let data = try folder.write(
      "page.png\t[\((truth + [missing]).joined(separator: ", "))]\n", to: "labels.txt")
    func metrics(_ bundle: String, _ data: String) throws -> [String: Double] {
      let result = TestConsole.run(["evaluate", bundle, data, "--format", "json"])
      #expect(result.exitCode == 0, "\(result.messages)")
      var metrics: [String: Double] = [:]
      for (name, value) in try result.json().array?.first?["metrics"]?.object ?? [:] {
        metrics[name] = value.number
      }
      return metrics
    }
    let read = try metrics(chain, data)
    #expect(read["precision"] == 0.75 && read["recall"] == 0.75 && read["f1"] == 0.75)
    // An edit, two characters missed and three invented, of 18.
    #expect(abs(try #require(read["cer"]) - 6.0 / 18) < 1e-9)
    #expect(abs(try #require(read["cer_matched"]) - 1.0 / 16) < 1e-9)
    #expect(read["exact_match"] == 0.5)
    let detected = try metrics(chain + "/detector.tiobundle", data)
    #expect(detected["cer"] == nil && (detected["recall"] ?? 0) > 0)
    let line = try image([Line(text: "bad", x: 10, y: 6, size: 20)], width: 100, height: 32)
    try folder.write(line.encoded(as: ImageEncoding.png), to: "line.png")
    let texts = try folder.write("line.png\tbed\n", to: "texts.txt")
    let recognized = try metrics(chain + "/recognizer.tiobundle", texts)
    #expect(abs(try #require(recognized["cer"]) - 1.0 / 3) < 1e-9)
    #expect(recognized["exact_match"] == 0)
  }

  @Test func `Models of an installed package have its license and origin`() throws {
    let site = folder.path + "/site"
    let manager = FileManager.default
    try manager.createDirectory(atPath: site + "/ocr", withIntermediateDirectories: true)
    try manager.copyItem(atPath: Self.models, toPath: site + "/ocr/models")
    try folder.write(
      "Metadata-Version: 2.1\nName: ocr\nVersion: 7.1\nLicense: Apache-2.0\n\nText: x\n",
      to: "site/ocr-7.1.dist-info/METADATA")
    try draft(site + "/ocr/models")
    let description = try ModelBundle(at: chain + "/detector.tiobundle").description
    #expect(description.license == "Apache-2.0" && description.version == "7.1")
    #expect(description.author == "the Python package ocr 7.1")
  }

  @Test func `Models that do not form a chain are rejected`() throws {
    let incomplete = folder.path + "/incomplete"
    try FileManager.default.createDirectory(atPath: incomplete, withIntermediateDirectories: true)
    for name in ["blocks_det", "blocks_cls"] {
      try FileManager.default.copyItem(
        atPath: "\(Self.models)/\(name).onnx", toPath: "\(incomplete)/\(name).onnx")
    }
    let result = TestConsole.run(["init", incomplete, "-o", chain])
    #expect(result.exitCode == 3 && result.messages.contains("1 detectors and 0 readers"))
    let named = TestConsole.run(["init", Self.models, "-o", folder.path + "/x.tiobundle"])
    #expect(named.exitCode == 2 && named.messages.contains(".tiochain"))
    let damaged = try folder.write("PK", to: "x.whl")
    #expect(TestConsole.run(["init", damaged, "-o", chain]).exitCode == 3)
  }
}
