import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Images on the command line: sources, preprocessing and output.
@Suite(.ownThreads) struct ImageTests {
  static func top(_ record: JSONTree) -> String? {
    record["outputs"]?["classification"]?[0]?["label"]?.string
  }

  @Test(arguments: [
    ["PICTURE"], ["@PICTURE"], ["image=PICTURE"], ["image=@PICTURE"], ["-"], ["BASE64"],
    ["image=BASE64"], ["{\"image\":\"PICTURE\"}"], ["{\"image\":\"BASE64\"}"],
  ])
  func `An image can be given in many ways`(_ words: [String]) throws {
    let path = Example.digit("3-1")
    let bytes = try Data(contentsOf: URL(filePath: path))
    var console = TestConsole()
    console.input = [UInt8](bytes)
    let filled = words.map {
      $0.replacing("PICTURE", with: path)
        .replacing("BASE64", with: "base64:\(bytes.base64EncodedString())")
    }
    let record = try console.run(["run", Example.digits] + filled).json()
    #expect(Self.top(record) == "3")
    if words[0].hasSuffix("PICTURE"), !words[0].contains("@") {
      #expect(record["input"]?.string == path)
    }
  }

  @Test func `Numbers can be given in place of an image`() throws {
    let row = "[" + Array(repeating: "[0.5]", count: 32).joined(separator: ",") + "]"
    let rows = "[" + Array(repeating: row, count: 32).joined(separator: ",") + "]"
    let outcome = TestConsole.run(["run", Example.digits, rows])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test(arguments: ["FOLDER", "FOLDER/", "FOLDER/*.png", "FOLDER/[abB]*.png"])
  func `A folder or glob pattern expands to its images in byte order`(_ word: String) throws {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digit("3-1"), as: "b.png")
    try folder.copy(Example.digit("8-1"), as: "a.png")
    try folder.copy(Example.digit("5-1"), as: "B.png")
    try folder.write("no picture", to: "notes.txt")
    let records = try TestConsole.run([
      "run", Example.digits, word.replacing("FOLDER", with: folder.path),
    ]).jsonLines()
    #expect(records.map(Self.top) == ["5", "8", "3"])
    #expect(
      records.map { $0["input"]?.string } == ["B", "a", "b"].map { "\(folder.path)/\($0).png" })
  }

  @Test func `A folder with one image gives a list`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(Example.digit("3-1"), as: "three.png")
    for (word, isList) in [(folder.path, true), ("\(folder.path)/*.png", true), (path, false)] {
      let tree = try TestConsole.run(["run", Example.digits, word, "--format", "json"]).json()
      #expect((tree.array != nil) == isList)
    }
    let empty = try TemporaryFolder()
    for word in [empty.path, "\(empty.path)/*.png"] {
      let outcome = TestConsole.run(["run", Example.digits, word])
      #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
      #expect(outcome.firstMessageLine == "tensorio: \(word): contains no images")
    }
  }

  @Test(arguments: ["json", "ndjson"])
  func `A broken image is reported in order and the others run`(_ format: String) throws {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digit("3-1"), as: "a.png")
    try folder.write("no picture", to: "b.png")
    try folder.copy(Example.digit("8-1"), as: "c.png")
    let outcome = TestConsole.run(["run", Example.digits, folder.path, "--format", format])
    #expect(outcome.exitCode == 1)
    let records = try format == "json" ? outcome.json().array ?? [] : outcome.jsonLines()
    #expect(records.map(Self.top) == ["3", nil, "8"])
    let failure = try #require(records[1].object)
    #expect(failure.keys.sorted() == ["error", "input"])
    #expect(failure["error"]?["code"]?.string == "unknown-image-format")
    #expect(outcome.messages.hasPrefix("tensorio: \(folder.path)/b.png: "))
  }

  @Test(arguments: [
    ["--fit", "stretch"], ["--fit", "letterbox"], ["--resample", "nearest"],
    ["--resample", "area"],
    ["--resample", "bilinear"], ["--orientation", "3"], ["--orientation", "left-mirrored"],
  ])
  func `Options change preprocessing like the library options`(_ flags: [String]) throws {
    let folder = try TemporaryFolder()
    let path = try wide(in: folder)
    let model = try Model(
      at: Example.negative,
      options: OpeningOptions(
        fit: flags[0] == "--fit" ? ImageFit(rawValue: flags[1]) : nil,
        filter: flags[0] == "--resample" ? ImageFilter(rawValue: flags[1]) : nil,
        orientation: flags[0] == "--orientation" ? ImageOrientation(name: flags[1]) : nil))
    let bytes = try Data(contentsOf: URL(filePath: path))
    let expected: ImageBuffer = try model.run(bytes)["negative"].value()
    #expect(try saved(path, flags, in: folder) == expected.pixels)
    #expect(try saved(path, [], in: folder) != expected.pixels)
  }

  @Test func `The defaults of the bundle are crop and Lanczos`() throws {
    let folder = try TemporaryFolder()
    let path = try wide(in: folder)
    let plain = try saved(path, [], in: folder)
    #expect(try saved(path, ["--fit", "crop", "--resample", "lanczos"], in: folder) == plain)
    #expect(try saved(path, ["--orientation", "up"], in: folder) == plain)
  }

  @Test func `Output images are saved under the stem and the output name`() throws {
    let folder = try TemporaryFolder()
    for name in ["a/x.png", "b/x.png", "c/x-2.png", "x.y.png"] {
      try folder.write([UInt8](Data(contentsOf: URL(filePath: Example.temple))), to: name)
    }
    let inputs = ["a/x.png", "b/x.png", "c/x-2.png", "x.y.png", "nothing.png", "-"]
    var console = TestConsole()
    console.input = [UInt8](try Data(contentsOf: URL(filePath: Example.temple)))
    let out = "\(folder.path)/out/deep/"
    let words = inputs.map { $0 == "-" ? $0 : "\(folder.path)/\($0)" }
    let records = try console.run(["run", Example.negative] + words + ["--save-images", out])
      .jsonLines()
    let paths = records.map { $0["outputs"]?["negative"]?["path"]?.string }
    let stems = ["x", "x-2", "x-2-2", "x.y", nil, "input"]
    #expect(paths == stems.map { $0.map { "\(out)\($0)-negative.png" } })
    for path in paths.compactMap(\.self) {
      #expect(try ImageBuffer(contentsOf: path).width == 96)
    }
  }

  @Test func `An output image is part of the result if it is not saved`() throws {
    let record = try TestConsole.run(["run", Example.negative, Example.temple]).json()
    let picture = try #require(record["outputs"]?["negative"])
    #expect(picture["width"]?.number == 96 && picture["height"]?.number == 96)
    let data = try #require(Data(base64Encoded: picture["png"]?.string ?? ""))
    #expect(try ImageBuffer(decoding: [UInt8](data)).width == 96)
  }

  @Test(arguments: ["PICTURE", "-", "BASE64"])
  func `Results are drawn on images from every source`(_ word: String) throws {
    let folder = try TemporaryFolder()
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    let path = try folder.copy(Example.digit("3-1"), as: "three.png")
    var console = TestConsole()
    console.input = bytes
    let filled = word.replacing("PICTURE", with: path)
      .replacing("BASE64", with: "base64:\(Data(bytes).base64EncodedString())")
    let out = "\(folder.path)/out"
    let record = try console.run(["run", Example.digits, filled, "--annotate", out]).json()
    let annotated = try #require(record["annotated"]?.string)
    #expect(annotated == "\(out)/\(word == "PICTURE" ? "three" : "input").png")
    let drawn = [UInt8](try Data(contentsOf: URL(filePath: annotated)))
    #expect(drawn.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let original = try ImageBuffer(decoding: bytes), image = try ImageBuffer(decoding: drawn)
    #expect(image.width >= original.width && image.height >= original.height)
    #expect(image.converted(to: .rgb) != original.converted(to: .rgb))
  }

  @Test func `Annotated images with equal names are numbered`() throws {
    let folder = try TemporaryFolder()
    let picture = [UInt8](try Data(contentsOf: URL(filePath: Example.digit("3-1"))))
    let paths = try ["a", "b", "c"].map { try folder.write(picture, to: "\($0)/three.png") }
    TestConsole.run(["run", Example.digits] + paths + ["--annotate", "\(folder.path)/out"])
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out")
    #expect(names.sorted() == ["three-2.png", "three-3.png", "three.png"])
  }

  @Test(arguments: [
    ["nothing.png"], ["text.png"], ["text.png", "cut.png", "--annotate", "out"], ["missing/*.png"],
    ["cut.png"], ["{\"picture\":3}"], ["{\"image\":\"cut.png\"}"], ["base64:%%"],
  ])
  func `Nothing is written for invalid inputs`(_ words: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.write("text", to: "text.png")
    let whole = [UInt8](try Data(contentsOf: URL(filePath: Example.temple)))
    try folder.write(Array(whole.prefix(whole.count / 2)), to: "cut.png")
    let filled = words.map { word in
      word.hasPrefix("-") || word.hasPrefix("base64") || word.hasPrefix("{")
        ? word : "\(folder.path)/\(word)"
    }
    let outcome = TestConsole.run(
      ["run", Example.negative] + filled + ["--save-images", "\(folder.path)/saved"])
    #expect(outcome.exitCode == (words.count > 1 ? 1 : 4), "\(outcome)")
    #expect(folder.entries == ["cut.png", "text.png"])
  }

  /// An image that is not square and differs in all orientations.
  private func wide(in folder: TemporaryFolder) throws -> String {
    let temple = try ImageBuffer(contentsOf: Example.temple)
    let height = min(temple.height, temple.width * 3 / 5)
    let part = try temple.cropped(
      to: PixelRegion(x: 0, y: 0, width: temple.width, height: height))
    let path = "\(folder.path)/wide.png"
    try part.write(to: path)
    return path
  }

  private func saved(
    _ path: String, _ flags: [String], in folder: TemporaryFolder
  ) throws -> [UInt8] {
    let out = "\(folder.path)/saved"
    let outcome = TestConsole.run(["run", Example.negative, path, "--save-images", out] + flags)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return try ImageBuffer(contentsOf: "\(out)/wide-negative.png").converted(to: .rgb).pixels
  }
}
