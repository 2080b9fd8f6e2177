import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// `tensorio gallery`: who is who.
@Suite struct GalleryTests {
  private let folder: TemporaryFolder
  private let embedder: String
  private var file: String { "\(folder.path)/gallery.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    embedder = try Self.embedder("embedder", threshold: 0.5, in: folder)
  }

  /// The digits, of which the ten probabilities make an embedding.
  private static func embedder(
    _ name: String, threshold: Double, in folder: TemporaryFolder
  ) throws -> String {
    let path = try folder.copy(Example.digits, as: "\(name).tiobundle")
    try folder.write(
      """
      {"name": "\(name)", "details": "", "id": "\(name)", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
       "modes": ["predict"]},
       "inputs": [{"name": "image", "type": "image", "shape": [32,32,1], "format": "GRAY",
                   "normalize": {"standard": "[0,1]"}}],
       "outputs": [{"name": "numbers", "type": "array", "shape": [10], "role": "embedding"}],
       "task": {"type": "embedding", "threshold": \(threshold)}}
      """, to: "\(name).tiobundle/model.json")
    return path
  }

  private func gallery(_ words: [String], bundle: String? = nil) -> CommandResult {
    TestConsole.run(
      ["gallery"] + words
        + ["--gallery", file, "--bundle", bundle ?? embedder, "--format", "json"])
  }

  private func enroll(_ name: String, _ digits: String...) throws {
    let outcome = gallery(["enroll", name] + digits.map(Example.digit))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try outcome.json()["enrolled"]?.number == Double(digits.count))
  }

  @Test func `those who are enrolled are recognised, and others are unknown`() throws {
    try enroll("three", "3-1")
    try enroll("eight", "8-1")
    let pictures = ["3-2", "8-2", "5-1"].map(Example.digit)
    let outcome = gallery(["recognise"] + pictures)
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.map { $0["input"]?.string } == pictures)
    let found = records.map { $0["recognised"]?[0] }
    #expect(found.map { $0?["name"]?.string } == ["three", "eight", "unknown"])
    #expect(found.map { $0?["known"]?.bool } == [true, true, false])
    #expect((found[0]?["distance"]?.number ?? 9) < 0.5)
    #expect(found[2]?["votes"]?.number == 0)
    #expect(found[0]?["neighbours"]?.array?.map { $0["name"]?.string } == ["three", "eight"])
    let strict = gallery(["recognise", pictures[0], "--threshold", "1e-9"])
    #expect(try strict.json()["recognised"]?[0]?["name"]?.string == "unknown")
    let lenient = gallery(["recognise", pictures[2], "--threshold", "2", "--k", "1"])
    #expect(try lenient.json()["recognised"]?[0]?["known"]?.bool == true)
  }

  @Test func `verifying has an exit code`() throws {
    try enroll("three", "3-1")
    try enroll("eight", "8-1")
    let same = gallery(["verify", "three", Example.digit("3-2")])
    #expect(same.exitCode == 0)
    #expect(try same.json()["same"]?.bool == true)
    #expect(try same.json()["threshold"]?.number == 0.5)
    let other = gallery(["verify", "eight", Example.digit("3-2")])
    #expect(other.exitCode == 1)
    #expect(try other.json()["same"]?.bool == false)
    let nobody = gallery(["verify", "thre", Example.digit("3-2")])
    #expect(nobody.exitCode == 4)
    #expect(nobody.firstMessageLine.contains("did you mean 'three'?"))
  }

  @Test func `names are listed and removed`() throws {
    try enroll("three", "3-1", "3-2")
    try enroll("eight", "8-1")
    let list = TestConsole.run(["gallery", "list", "--gallery", file])
    #expect(list.lines == ["eight  1", "three  2"])
    #expect(gallery(["remove", "three"]).exitCode == 0)
    #expect(try gallery(["list"]).jsonLines().map { $0["name"]?.string } == ["eight"])
    #expect(gallery(["remove", "three"]).exitCode == 4)
  }

  @Test func `a picture that is enrolled again has no second vote`() throws {
    try enroll("three", "3-1")
    let again = try gallery(["enroll", "three", Example.digit("3-1")]).json()
    #expect(again["enrolled"]?.number == 0 && again["known_before"]?.number == 1)
    #expect(try gallery(["list"]).json()["count"]?.number == 1)
  }

  @Test func `numbers of another embedder are refused`() throws {
    try enroll("three", "3-1")
    let other = try Self.embedder("other", threshold: 0.5, in: folder)
    for words in [["enroll", "four", "4-1"], ["recognise", "4-1"], ["verify", "three", "4-1"]] {
      let filled = words.map { $0 == "4-1" ? Example.digit($0) : $0 }
      let outcome = gallery(filled, bundle: other)
      #expect(outcome.exitCode == 4, "\(words)")
      #expect(outcome.firstMessageLine.contains("another embedder (embedder)"), "\(outcome)")
    }
    #expect(try gallery(["list"]).jsonLines().count == 1)
    let moved = try folder.copy(embedder, as: "moved.tiobundle")
    #expect(gallery(["recognise", Example.digit("3-1")], bundle: moved).exitCode == 0)
  }

  @Test func `a picture that fails is told of, and the others go on`() throws {
    let broken = try folder.write("no picture", to: "broken.png")
    let pictures = [Example.digit("3-1"), broken, Example.digit("3-2")]
    let enrolled = gallery(["enroll", "three"] + pictures)
    #expect(enrolled.exitCode == 1)
    #expect(try enrolled.jsonLines().last?["failed"]?.number == 1)
    let outcome = gallery(["recognise"] + pictures)
    #expect(outcome.exitCode == 1)
    #expect(
      try outcome.jsonLines().map { $0["error"]?["code"]?.string } == [
        nil, "unknown-picture-format", nil,
      ])
    #expect(gallery(["recognise", broken]).exitCode == 4)
  }

  @Test func `processes that enrol at once lose nothing`() throws {
    let names = ["0-1", "1-1", "2-1", "3-1", "4-1", "5-1"]
    let processes = try names.map { name in
      try Executable().start([
        "gallery", "enroll", name, Example.digit(name), "--gallery", file, "--bundle", embedder,
      ])
    }
    for process in processes { #expect(process.wait().exitCode == 0) }
    #expect(try gallery(["list"]).jsonLines().map { $0["name"]?.string } == names)
  }

  @Test func `a file that holds no gallery is refused`() throws {
    #expect(gallery(["list"]).exitCode == 4)
    #expect(!folder.entries.contains("gallery.sqlite"))
    try folder.write("no database", to: "gallery.sqlite")
    let outcome = gallery(["recognise", Example.digit("3-1")])
    #expect(outcome.exitCode != 0)
    #expect(outcome.firstMessageLine.contains("no database"), "\(outcome)")
  }

  @Test(arguments: [
    ["gallery"], ["gallery", "enroll", "x"], ["gallery", "enroll", "unknown", "p.png"],
    ["gallery", "list", "stray"], ["gallery", "find", "x.png"], ["gallery", "list"],
    ["gallery", "recognise", "x.png", "--gallery", "g.sqlite"],
    ["gallery", "recognise", "x.png", "--gallery", "g.sqlite", "--bundle", "b", "--k", "0"],
  ])
  func `what makes no sense is refused`(_ words: [String]) {
    #expect(TestConsole.run(words).exitCode == 2)
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `cats and dogs are told apart by one picture of each`() throws {
    SharedFixtures.report("gallery", 2)
    let bundle = "\(folder.path)/animals.tiobundle"
    try folder.write(
      """
      {"name": "animals", "details": "", "id": "animals", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": true, "backend": "tflite",
       "modes": ["predict"]},
       "inputs": [{"name": "image", "type": "image", "shape": [224,224,3], "format": "RGB"}],
       "outputs": [{"name": "numbers", "type": "array", "shape": [1024], "role": "embedding",
                    "dequantize": {"standard": "model"}}],
       "task": {"type": "embedding", "threshold": 1}}
      """, to: "animals.tiobundle/model.json")
    try folder.copy(
      SharedFixtures.path(
        "real/models/mobilenet_v1_1.0_224_quant_embedding_extractor.tflite"),
      as: "animals.tiobundle/model.tflite")
    func picture(_ name: String) -> String { SharedFixtures.path("real/images/\(name)_0.bmp") }
    for name in ["cat", "dog"] {
      let outcome = gallery(["enroll", name, picture("\(name)_train")], bundle: bundle)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let outcome = gallery(["recognise", picture("cat_test"), picture("dog_test")], bundle: bundle)
    let found = try outcome.jsonLines().map { $0["recognised"]?[0] }
    #expect(found.map { $0?["name"]?.string } == ["cat", "dog"])
    #expect(isClose(found[0]?["distance"]?.number ?? 0, to: 0.671, within: 0.02))
    #expect(isClose(found[1]?["distance"]?.number ?? 0, to: 0.888, within: 0.02))
    let elephant = gallery(
      ["recognise", SharedFixtures.path("real/images/traffic_0001.bmp")], bundle: bundle)
    #expect(try elephant.json()["recognised"]?[0]?["name"]?.string == "unknown")
  }
}
