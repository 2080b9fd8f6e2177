import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Tests of `tensorio gallery`.
@Suite struct GalleryTests {
  private let folder: TemporaryFolder
  private let embedder: String
  private var file: String { "\(folder.path)/gallery.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    embedder = try Self.embedder("embedder", threshold: 0.5, in: folder)
  }

  /// A digits bundle whose ten probabilities serve as an embedding.
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

  private func gallery(_ arguments: [String], bundle: String? = nil) -> CommandResult {
    TestConsole.run(
      ["gallery"] + arguments
        + ["--gallery", file, "--bundle", bundle ?? embedder, "--format", "json"])
  }

  private func enroll(_ name: String, _ digits: String...) throws {
    let outcome = gallery(["enroll", name] + digits.map(Example.digit))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try outcome.json()["enrolled"]?.number == Double(digits.count))
  }

  @Test func `Enrolled images are recognized and others are unknown`() throws {
    try enroll("three", "3-1")
    try enroll("eight", "8-1")
    let images = ["3-2", "8-2", "5-1"].map(Example.digit)
    let outcome = gallery(["recognize"] + images)
    #expect(outcome.exitCode == 0)
    let records = try outcome.jsonLines()
    #expect(records.map { $0["input"]?.string } == images)
    let found = records.map { $0["recognized"]?[0] }
    #expect(found.map { $0?["name"]?.string } == ["three", "eight", "unknown"])
    #expect(found.map { $0?["matched"]?.bool } == [true, true, false])
    #expect((found[0]?["distance"]?.number ?? 9) < 0.5)
    #expect(found[2]?["votes"]?.number == 0)
    #expect(found[0]?["neighbors"]?.array?.map { $0["name"]?.string } == ["three", "eight"])
    let strict = gallery(["recognize", images[0], "--max-distance", "1e-9"])
    #expect(try strict.json()["recognized"]?[0]?["name"]?.string == "unknown")
    let lenient = gallery(["recognize", images[2], "--max-distance", "2", "--neighbors", "1"])
    #expect(try lenient.json()["recognized"]?[0]?["matched"]?.bool == true)
  }

  /// The topics of messages, whose six scores serve as an embedding.
  private func textEmbedder() throws -> String {
    let path = try folder.copy(Example.bundle("topics"), as: "sentences.tiobundle")
    try folder.write(
      """
      {"name": "Sentences", "details": "", "id": "sentences", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       "inputs": [{"name": "message", "type": "text", "shape": [1, 32],
                   "tokenizer": {"type": "wordpiece", "file": "vocab.txt"}}],
       "outputs": [{"name": "topic", "type": "array", "shape": [1, 6], "role": "embedding"}],
       "task": {"type": "embedding", "threshold": 0.6}}
      """, to: "sentences.tiobundle/model.json")
    return path
  }

  @Test func `Texts are enrolled, recognized and verified`() throws {
    let bundle = try textEmbedder()
    let lines = try folder.write("Where is my parcel?\n\nMy parcel is late.\r\n", to: "late.txt")
    let enrolled = gallery(["enroll", "delivery", "@\(lines)"], bundle: bundle)
    #expect(enrolled.exitCode == 0, "\(enrolled)")
    #expect(try enrolled.json()["enrolled"]?.number == 2)
    let other = gallery(
      ["enroll", "account", "I forgot my password", "How do I change my password?"], bundle: bundle)
    #expect(try other.json()["enrolled"]?.number == 2)
    let texts = ["When will my parcel arrive?", "My password does not work"]
    let found = gallery(["recognize"] + texts, bundle: bundle)
    #expect(found.exitCode == 0, "\(found)")
    let records = try found.jsonLines()
    #expect(records.map { $0["input"]?.string } == texts)
    #expect(
      records.map { $0["recognized"]?[0]?["name"]?.string } == ["delivery", "account"], "\(found)")
    #expect(gallery(["verify", "delivery", "Where is my parcel?"], bundle: bundle).exitCode == 0)
    #expect(gallery(["verify", "account", "Where is my parcel?"], bundle: bundle).exitCode == 1)
    // Another vocabulary gives other embeddings.
    try folder.write(
      "[PAD]\n[UNK]\n[CLS]\n[SEP]\nparcel\n", to: "sentences.tiobundle/assets/vocab.txt")
    let changed = gallery(["recognize", texts[0]], bundle: bundle)
    #expect(changed.exitCode == 4)
    #expect(changed.firstMessageLine.contains("bound to another"))
  }

  @Test func `A file without text is rejected`() throws {
    let bundle = try textEmbedder()
    let empty = try folder.write("\n  \n", to: "empty.txt")
    let outcome = gallery(["enroll", "none", "@\(empty)"], bundle: bundle)
    #expect(outcome.exitCode == 4)
    #expect(outcome.firstMessageLine.contains("contains no text"))
  }

  @Test func `verify exits with 0 on a match and with 1 otherwise`() throws {
    try enroll("three", "3-1")
    try enroll("eight", "8-1")
    let same = gallery(["verify", "three", Example.digit("3-2")])
    #expect(same.exitCode == 0)
    #expect(try same.json()["match"]?.bool == true)
    #expect(try same.json()["threshold"]?.number == 0.5)
    let other = gallery(["verify", "eight", Example.digit("3-2")])
    #expect(other.exitCode == 1)
    #expect(try other.json()["match"]?.bool == false)
    let unknown = gallery(["verify", "thre", Example.digit("3-2")])
    #expect(unknown.exitCode == 4)
    #expect(unknown.firstMessageLine.contains("did you mean 'three'?"))
  }

  @Test func `Names are listed and removed`() throws {
    try enroll("three", "3-1", "3-2")
    try enroll("eight", "8-1")
    let list = TestConsole.run(["gallery", "list", "--gallery", file])
    #expect(list.lines == ["eight  1", "three  2"])
    #expect(gallery(["remove", "three"]).exitCode == 0)
    #expect(try gallery(["list"]).jsonLines().map { $0["name"]?.string } == ["eight"])
    #expect(gallery(["remove", "three"]).exitCode == 4)
  }

  @Test func `run names what an embedding shows, beside the embedding`() throws {
    try enroll("three", "3-1")
    try enroll("eight", "8-1")
    let images = ["3-2", "5-1"].map(Example.digit)
    let words = ["run", embedder, "--gallery", file, "--format"]
    let outcome = TestConsole.run(words + ["ndjson"] + images)
    let outputs = try outcome.jsonLines().map { $0["outputs"] }
    let found = outputs.map { $0?["recognition"] }
    #expect(found.map { $0?["name"]?.string } == ["three", "unknown"], "\(outcome)")
    #expect(found.map { $0?["matched"]?.bool } == [true, false])
    #expect(found[0]?["neighbors"]?.array?.count == 2)
    #expect(outputs.allSatisfy { $0?["embedding"]?.array?.count == 10 })
    let table = TestConsole.run(words + ["csv", "--threads", "1"] + images)
    #expect(table.lines.count { $0.contains(",recognition,,three,") } == 1, "\(table)")
    let text = TestConsole.run(words + ["text"] + images)
    #expect(text.output.contains("recognition  three 0."), "\(text)")
  }

  @Test func `A gallery for a model without embeddings is an error`() throws {
    try enroll("three", "3-1")
    let digits = TestConsole.run(
      ["run", Example.digits, Example.digit("3-1"), "--gallery", file])
    #expect(digits.exitCode == 2 && digits.messages.contains("role embedding"), "\(digits)")
    let other = try Self.embedder("other", threshold: 0.5, in: folder)
    let mismatch = TestConsole.run(["run", other, Example.digit("3-1"), "--gallery", file])
    #expect(mismatch.exitCode == 4, "\(mismatch)")
    #expect(mismatch.messages.contains("bound to another embedder"))
  }

  @Test func `An image that is enrolled twice is stored once`() throws {
    try enroll("three", "3-1")
    let again = try gallery(["enroll", "three", Example.digit("3-1")]).json()
    #expect(again["enrolled"]?.number == 0 && again["duplicates"]?.number == 1)
    #expect(try gallery(["list"]).json()["count"]?.number == 1)
  }

  @Test func `Embeddings of another embedder are rejected`() throws {
    try enroll("three", "3-1")
    let other = try Self.embedder("other", threshold: 0.5, in: folder)
    for arguments in [
      ["enroll", "four", "4-1"], ["recognize", "4-1"], ["verify", "three", "4-1"],
    ] {
      let filled = arguments.map { $0 == "4-1" ? Example.digit($0) : $0 }
      let outcome = gallery(filled, bundle: other)
      #expect(outcome.exitCode == 4, "\(arguments)")
      #expect(outcome.firstMessageLine.contains("another embedder (embedder)"), "\(outcome)")
    }
    #expect(try gallery(["list"]).jsonLines().count == 1)
    let moved = try folder.copy(embedder, as: "moved.tiobundle")
    #expect(gallery(["recognize", Example.digit("3-1")], bundle: moved).exitCode == 0)
  }

  @Test func `An image that fails is reported and the others are processed`() throws {
    let broken = try folder.write("not an image", to: "broken.png")
    let images = [Example.digit("3-1"), broken, Example.digit("3-2")]
    let enrolled = gallery(["enroll", "three"] + images)
    #expect(enrolled.exitCode == 1)
    #expect(try enrolled.jsonLines().last?["failed"]?.number == 1)
    let outcome = gallery(["recognize"] + images)
    #expect(outcome.exitCode == 1)
    #expect(
      try outcome.jsonLines().map { $0["error"]?["code"]?.string } == [
        nil, "unknown-image-format", nil,
      ])
    #expect(gallery(["recognize", broken]).exitCode == 4)
  }

  @Test func `Concurrent processes enroll without losing entries`() throws {
    let names = ["0-1", "1-1", "2-1", "3-1", "4-1", "5-1"]
    let processes = try names.map { name in
      try Executable().start([
        "gallery", "enroll", name, Example.digit(name), "--gallery", file, "--bundle", embedder,
      ])
    }
    for process in processes {
      let result = process.wait()
      #expect(result.exitCode == 0, "\(result)")
    }
    #expect(try gallery(["list"]).jsonLines().map { $0["name"]?.string } == names)
  }

  @Test func `Enrolling into another database is rejected and does not change it`() throws {
    let results = "\(folder.path)/results.sqlite"
    let run = TestConsole.run(["run", Example.digits, Example.digit("3-1"), "--output", results])
    #expect(run.exitCode == 0, "\(run)")
    let outcome = TestConsole.run([
      "gallery", "enroll", "three", Example.digit("3-1"), "--gallery", results, "--bundle",
      embedder,
    ])
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(outcome.firstMessageLine.hasSuffix("the database does not contain a gallery"))
    try enroll("three", "3-1")
    let resumed = TestConsole.run([
      "run", Example.digits, Example.digit("3-2"), "--output", file, "--resume",
    ])
    #expect(resumed.exitCode == 6, "\(resumed)")
    #expect(resumed.firstMessageLine.hasSuffix("the file contains a different kind of database"))
    #expect(try gallery(["list"]).jsonLines().count == 1)
  }

  @Test func `A gallery is not created if no image can be enrolled`() throws {
    let broken = try folder.write("not an image", to: "broken.png")
    let failed = gallery(["enroll", "three", broken])
    #expect(failed.exitCode == 4)
    #expect(try failed.jsonLines().last?["enrolled"]?.number == 0)
    #expect(!folder.entries.contains("gallery.sqlite"))
    let other = try Self.embedder("other", threshold: 0.5, in: folder)
    #expect(gallery(["enroll", "three", Example.digit("3-1")], bundle: other).exitCode == 0)
  }

  @Test func `A file that is not a gallery is rejected`() throws {
    #expect(gallery(["list"]).exitCode == 4)
    #expect(!folder.entries.contains("gallery.sqlite"))
    try folder.write("not a database", to: "gallery.sqlite")
    let outcome = gallery(["recognize", Example.digit("3-1")])
    #expect(outcome.exitCode != 0)
    #expect(outcome.firstMessageLine.contains("not a SQLite database"), "\(outcome)")
  }

  @Test(arguments: [
    ["gallery"], ["gallery", "enroll", "x"], ["gallery", "enroll", "unknown", "p.png"],
    ["gallery", "list", "stray"], ["gallery", "find", "x.png"], ["gallery", "list"],
    ["gallery", "recognize", "x.png", "--gallery", "g.sqlite"],
    [
      "gallery", "recognize", "x.png", "--gallery", "g.sqlite", "--bundle", "b", "--neighbors", "0",
    ],
  ])
  func `An invalid command line is rejected`(_ arguments: [String]) {
    #expect(TestConsole.run(arguments).exitCode == 2)
  }

  @Test func `Images are recognized from one image each`() throws {
    CaseCount.report("gallery", project: 2, shared: SharedFixtures.areAvailable ? 2 : 0)
    let bundle = ProjectFiles.path("Tests/Fixtures/Conformance/quarters.tiobundle")
    func image(_ name: String) -> String {
      ProjectFiles.path("Tests/Fixtures/Conformance/images/\(name).png")
    }
    for name in ["warm", "cold"] {
      let outcome = gallery(["enroll", name, image("\(name)-1")], bundle: bundle)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let outcome = gallery(["recognize", image("warm-2"), image("cold-2")], bundle: bundle)
    let found = try outcome.jsonLines().map { $0["recognized"]?[0] }
    #expect(found.map { $0?["name"]?.string } == ["warm", "cold"])
    let expected = try JSONTree(
      contentsOf: ProjectFiles.path("Tests/Fixtures/Conformance/expected.json"))
    for (entry, pair) in zip(found, ["warm-1 warm-2", "cold-1 cold-2"]) {
      let distance = try #require(expected["distances"]?[pair]?.number)
      #expect(isClose(entry?["distance"]?.number ?? 0, to: distance, within: 0.002))
    }
    let green = gallery(["recognize", image("bands")], bundle: bundle)
    #expect(try green.json()["recognized"]?[0]?["name"]?.string == "unknown")
  }

  @Test(.enabled(if: SharedFixtures.areAvailable))
  func `Cats and dogs are recognized from one image each`() throws {
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
    func image(_ name: String) -> String { SharedFixtures.path("real/images/\(name)_0.bmp") }
    for name in ["cat", "dog"] {
      let outcome = gallery(["enroll", name, image("\(name)_train")], bundle: bundle)
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    let outcome = gallery(["recognize", image("cat_test"), image("dog_test")], bundle: bundle)
    let found = try outcome.jsonLines().map { $0["recognized"]?[0] }
    #expect(found.map { $0?["name"]?.string } == ["cat", "dog"])
    #expect(isClose(found[0]?["distance"]?.number ?? 0, to: 0.671, within: 0.02))
    #expect(isClose(found[1]?["distance"]?.number ?? 0, to: 0.888, within: 0.02))
    let elephant = gallery(
      ["recognize", SharedFixtures.path("real/images/traffic_0001.bmp")], bundle: bundle)
    #expect(try elephant.json()["recognized"]?[0]?["name"]?.string == "unknown")
  }
}
