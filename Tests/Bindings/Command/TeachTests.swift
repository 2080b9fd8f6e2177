import Foundation
import TensorIO
import TensorIOTeaching
import TensorIOTestSupport
import Testing

/// `tensorio teach`, with backbones of images, sounds, texts and numbers.
@Suite(.ownThreads) struct TeachTests {
  private static let embedder = ProjectFiles.path("Examples/Bundles/digits-embedder.tiobundle")
  private static let digits = ProjectFiles.path("Examples/Data/digits-training")
  private static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")

  private let folder: TemporaryFolder
  private var target: String { "\(folder.path)/mine.tiobundle" }

  init() throws { folder = try TemporaryFolder() }

  /// Runs the command with a cache in the temporary folder.
  private func teach(_ words: [String], to target: String? = nil) -> CommandResult {
    var console = TestConsole()
    console.environment = ["TENSORIO_CACHE_DIR": "\(folder.path)/cache"]
    return console.run(["teach"] + words + ["-o", target ?? self.target, "--format", "json"])
  }

  /// Copies the first images of some digits into a folder of a dataset.
  private func photos(
    _ labels: [String], _ range: Range<Int>, from source: String = digits,
    in name: String = "photos"
  ) throws -> String {
    let root = "\(folder.path)/\(name)"
    for label in labels {
      let target = "\(root)/\(label)"
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: true)
      let files = try FileManager.default.contentsOfDirectory(atPath: "\(source)/\(label)").sorted()
      for file in files[range] {
        try FileManager.default.copyItem(
          atPath: "\(source)/\(label)/\(file)", toPath: "\(target)/\(file)")
      }
    }
    return root
  }

  private func accuracy(_ bundle: String, _ data: String) throws -> Double {
    let evaluated = TestConsole.run(["evaluate", bundle, data, "--format", "json"])
    try #require(evaluated.exitCode == 0, "\(evaluated)")
    return try #require(try evaluated.json()[0]?["metrics"]?["top1"]?.number)
  }

  @Test func `Classes of images are taught, run, evaluated, extended and forgotten`() throws {
    let taught = teach([Self.embedder, try photos(["0", "1", "7"], 0..<10), "--unknown-rate", "0"])
    try #require(taught.exitCode == 0, "\(taught)")
    let report = try taught.json()
    #expect(report["bundle"]?.string == target && report["examples"]?.number == 30)
    #expect(try #require(report["accuracy"]?["value"]?.number) >= 0.9)
    #expect(try #require(report["accuracy"]?["low"]?.number) > 0.7)
    #expect(TestConsole.run(["validate", target]).exitCode == 0)
    let held = try photos(["0", "1", "7"], 0..<20, from: Self.heldOut, in: "held")
    #expect(try accuracy(target, held) >= 0.9)

    let extended = teach([
      target, "--add-class", "four=\(Self.digits)/4", "--force", "--unknown-rate", "0",
    ])
    try #require(extended.exitCode == 0, "\(extended)")
    let labels = try String(contentsOfFile: "\(target)/assets/classes.txt", encoding: .utf8)
    #expect(labels == "0\n1\n7\nfour\n")
    let ran = TestConsole.run(["run", target, "\(Self.heldOut)/4/014.png", "--format", "json"])
    #expect(ran.exitCode == 0 && ran.output.contains("four"), "\(ran)")

    let forgotten = teach([target, "--remove", "four", "--force", "--unknown-rate", "0"])
    try #require(forgotten.exitCode == 0, "\(forgotten)")
    #expect(try forgotten.json()["accuracy"] == report["accuracy"])
    let again = teach(
      [Self.embedder, "\(folder.path)/photos", "--unknown-rate", "0"],
      to: "\(folder.path)/again.tiobundle")
    try #require(again.exitCode == 0, "\(again)")
    let models = [target, "\(folder.path)/again.tiobundle"].map {
      FileManager.default.contents(atPath: "\($0)/model.tflite")
    }
    #expect(models[0] != nil && models[0] == models[1])
  }

  @Test func `A backbone is trained, and trained again with its data`() throws {
    let backbone = ProjectFiles.path("Examples/Bundles/digits-trainable-tflite.tiobundle")
    let data = try photos(["3", "8"], 0..<10)
    let words = [
      "--refine", "3", "--augment", "none", "--placeholder", "learning_rate=0.02",
      "--regularization", "100", "--unknown-rate", "0",
    ]
    let taught = teach([backbone, data] + words)
    try #require(taught.exitCode == 0, "\(taught)")
    let first = try #require(try taught.json()["refinement"])
    #expect(first["trained"]?.number == 16 && first["held_out"]?.number == 4)
    #expect(TestConsole.run(["validate", target]).exitCode == 0)

    let other = teach([target, "--add-class", "five=\(Self.digits)/5", "--force"] + words)
    #expect(other.exitCode != 0 && other.messages.contains("add it again"), "\(other)")
    let again = teach([target, data, "--force"] + words)
    try #require(again.exitCode == 0, "\(again)")
    let report = try again.json()
    #expect(report["refinement"]?["before"] == first["after"])
    #expect(report["duplicates"]?.array?.isEmpty == true)
    #expect(
      try accuracy(target, try photos(["3", "8"], 0..<20, from: Self.heldOut, in: "held")) > 0.75)
  }

  @Test func `Inputs of other classes are unknown`() throws {
    let data = try photos(["0", "1"], 0..<15)
    _ = try photos(["5", "8"], 0..<8, in: "others")
    try FileManager.default.createDirectory(
      atPath: "\(data)/unknown", withIntermediateDirectories: true)
    for label in ["5", "8"] {
      for file in try FileManager.default.contentsOfDirectory(
        atPath: "\(folder.path)/others/\(label)")
      {
        try FileManager.default.copyItem(
          atPath: "\(folder.path)/others/\(label)/\(file)",
          toPath: "\(data)/unknown/\(label)-\(file)")
      }
    }
    let taught = teach([Self.embedder, data])
    try #require(taught.exitCode == 0, "\(taught)")
    let unknown = try #require(try taught.json()["unknown"])
    #expect(unknown["measured_on"]?.string == "examples")
    #expect(try #require(unknown["known_rejected"]?.number) <= 0.12)
    let rate = try #require(unknown["others_rejected"]?.number)
    #expect(rate > 0.5)
    // The bundle alone rejects as many.
    var rejected = 0
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(data)/unknown")
    for file in files {
      let ran = TestConsole.run(["run", target, "\(data)/unknown/\(file)", "--format", "json"])
      let best = try ran.json()["outputs"]?["probabilities"]?[0]?["label"]?.string
      if best == "unknown" { rejected += 1 }
    }
    #expect(abs(Double(rejected) / Double(files.count) - rate) < 0.02, "\(rejected) \(rate)")
  }

  @Test func `Examples of no class are added and removed like a class`() throws {
    let (data, others) = (try photos(["0", "1"], 0..<8), try photos(["5"], 0..<6, in: "others"))
    let taught = teach([Self.embedder, data, "--add-class", "unknown=\(others)/5"])
    try #require(taught.exitCode == 0, "\(taught)")
    let report = try taught.json()
    #expect(report["unknown"]?["measured_on"]?.string == "examples")
    #expect(report["classes"]?.array?.count == 2 && report["examples"]?.number == 16)
    let removed = teach([target, "--remove", "unknown", "--force"])
    try #require(removed.exitCode == 0, "\(removed)")
    #expect(try removed.json()["unknown"]?["measured_on"]?.string == "classes")
    let again = teach([target, "--remove", "unknown", "--force"])
    #expect(again.exitCode == 4 && again.messages.contains("'unknown'"), "\(again)")
  }

  @Test func `A bundle is evaluated with the texts that it was taught`() throws {
    let texts = "\(folder.path)/texts.tsv"
    // Of words that the tokenizer knows; others have one embedding.
    let lines =
      ["a cat sits on the mat", "the cat", "cat on a mat", "the cat sits", "a cat in london"].map {
        $0 + "\tcat"
      }
      + ["a good book", "the bad book", "ada wrote the book", "book ?", "the first book"].map {
        $0 + "\tbook"
      }
    try folder.write("text\tlabel\n" + lines.joined(separator: "\n") + "\n", to: "texts.tsv")
    let taught = teach([
      ProjectFiles.path("Tests/Fixtures/Hub/sentences"), texts, "--unknown-rate", "0",
    ])
    try #require(taught.exitCode == 0, "\(taught)")
    #expect(
      try accuracy(target, texts) >= #require(taught.json()["accuracy"]?["value"]?.number))
    // The name of the input is another one for the column.
    try folder.write(
      "input_ids\tlabel\n" + lines.joined(separator: "\n") + "\n", to: "ids.tsv")
    #expect(try accuracy(target, "\(folder.path)/ids.tsv") == accuracy(target, texts))
    try folder.write("words\tlabel\n" + lines.joined(separator: "\n") + "\n", to: "words.tsv")
    let other = TestConsole.run(["evaluate", target, "\(folder.path)/words.tsv"])
    #expect(other.exitCode == 4 && other.messages.contains("'input_ids'"), "\(other)")
  }

  @Test func `A classifier of sounds learns other sounds at its last layer`() throws {
    let data = ProjectFiles.path("Examples/Data/tones-held-out")
    let taught = teach([ProjectFiles.path("Examples/Bundles/tones.tiobundle"), data])
    try #require(taught.exitCode == 0, "\(taught)")
    let report = try taught.json()
    #expect(report["layer"]?.string?.isEmpty == false)
    #expect(try #require(report["accuracy"]?["value"]?.number) > 0.8)
    #expect(try accuracy(target, data) > 0.8)
  }

  @Test func `A quantized model has the same embeddings inside as outside`() throws {
    let data = try photos(["0", "1"], 0..<10)
    let taught = teach([ProjectFiles.path("Examples/Bundles/digits-quantized.tiobundle"), data])
    try #require(taught.exitCode == 0, "\(taught)")
    // Examples are at a distance of 0 to themselves.
    let evaluated = try accuracy(target, data)
    #expect(try evaluated >= #require(taught.json()["accuracy"]?["value"]?.number), "\(evaluated)")
    let again = teach([target, "--remove", "0/none.png", "--force"])
    #expect(again.exitCode == 4 || again.exitCode == 2, "\(again)")
    let extended = teach([target, "--add-class", "7=\(Self.digits)/7", "--force"])
    #expect(extended.exitCode == 0, "\(extended)")
    #expect(try accuracy(target, data) > 0.9)
  }

  @Test func `A classifier of texts learns other topics at its last layer`() throws {
    let source = ProjectFiles.path("Examples/Data/topics-held-out.csv")
    let taught = teach(
      [ProjectFiles.path("Examples/Bundles/topics.tiobundle"), source, "--unknown-rate", "0"])
    try #require(taught.exitCode == 0, "\(taught)")
    #expect(try #require(try taught.json()["accuracy"]?["value"]?.number) > 0.7)
  }

  /// A classifier whose last layer with weights is not a dense one.
  private func classifier() throws -> String {
    var sketch = ONNXSketch(
      ONNXSketch.node("Gemm", ["x", "w", "b"], ["features"]),
      ONNXSketch.node("Gemm", ["features", "v", "c"], ["scores"]),
      ONNXSketch.node("BatchNormalization", ["scores", "one", "zero", "zero", "one"], ["p"]),
      constants: [
        ONNXSketch.constant(
          "w", [4, 16], floats: (0..<64).map { Float($0 * 37 % 11) / 11 - 0.4 }),
        ONNXSketch.constant("b", [16], floats: (0..<16).map { Float($0) / 16 }),
        ONNXSketch.constant(
          "v", [16, 3], floats: (0..<48).map { Float($0 * 23 % 7) / 7 - 0.4 }),
        ONNXSketch.constant("c", [3], floats: [0, 0, 0]),
        ONNXSketch.constant("one", [3], floats: [1, 1, 1]),
        ONNXSketch.constant("zero", [3], floats: [0, 0, 0]),
      ])
    sketch.inputs = [ONNXSketch.floats("x", [-1, 4])]
    sketch.outputs = [ONNXSketch.floats("p", [-1, 3])]
    try folder.write("a\nb\nc\n", to: "labels.txt")
    return try folder.write(sketch.bytes, to: "plants.onnx")
  }

  /// Four numbers of two classes in each line.
  private func points() throws -> String {
    let lines = (0..<12).map { index in
      let isFirst = index.isMultiple(of: 2)
      return """
        {"x": [\(isFirst ? 3 : -2), \(index), \(index % 3), 1], "label": "\(isFirst ? "a" : "b")"}

        """
    }
    return try folder.write(lines.joined(), to: "points.ndjson")
  }

  @Test func `A layer that could be an embedding is named, and init makes it the output`() throws {
    let model = try classifier()
    let bundle = "\(folder.path)/plants.tiobundle"
    let drafted = TestConsole.run([
      "init", model, "--labels", "\(folder.path)/labels.txt", "-o", bundle, "--format", "json",
    ])
    try #require(drafted.exitCode == 0, "\(drafted)")
    #expect(drafted.output.contains("--embedding features returns one of 16 numbers"))
    let table = try points()
    let rejected = teach([bundle, table])
    let command = "init \(bundle)/model.onnx --embedding features -o embedder.tiobundle"
    #expect(rejected.exitCode != 0 && rejected.messages.contains(command), "\(rejected)")

    let embedder = "\(folder.path)/embedder.tiobundle"
    let exposed = TestConsole.run([
      "init", "\(bundle)/model.onnx", "--embedding", "features", "-o", embedder,
    ])
    try #require(exposed.exitCode == 0, "\(exposed)")
    let description = try Model(at: embedder).bundle.description
    #expect(description.outputs.map(\.role) == [.embedding])
    #expect(description.task?.type == "embedding")
    let embedding = try Model(at: embedder).run([3, 0, 0, 1] as [Float]).embedding
    #expect(embedding.values.count == 16)

    let other = TestConsole.run([
      "init", model, "--embedding", "scores", "-o", "\(folder.path)/other.tiobundle",
    ])
    #expect(other.exitCode != 0 && other.messages.contains("'features'"), "\(other)")
    let labeled = TestConsole.run([
      "init", model, "--embedding", "features", "--labels", "\(folder.path)/labels.txt",
    ])
    #expect(labeled.exitCode == 2)
  }

  @Test func `An embedding beside the scores of a model is taught`() throws {
    var sketch = ONNXSketch(
      ONNXSketch.node("Gemm", ["x", "w", "b"], ["features"]),
      ONNXSketch.node("Gemm", ["features", "v", "c"], ["logits"]),
      constants: [
        ONNXSketch.constant(
          "w", [4, 16], floats: (0..<64).map { Float($0 * 37 % 11) / 11 - 0.4 }),
        ONNXSketch.constant("b", [16], floats: (0..<16).map { Float($0) / 16 }),
        ONNXSketch.constant("v", [16, 3], floats: (0..<48).map { Float($0 % 7) }),
        ONNXSketch.constant("c", [3], floats: [0, 0, 0]),
      ])
    sketch.inputs = [ONNXSketch.floats("x", [-1, 4])]
    sketch.outputs = [
      ONNXSketch.floats("logits", [-1, 3]), ONNXSketch.floats("features", [-1, 16]),
    ]
    let model = try folder.write(sketch.bytes, to: "two.onnx")
    let table = try points()
    let taught = teach([model, table])
    try #require(taught.exitCode == 0, "\(taught)")
    #expect(try taught.json()["layer"] == nil)
    let output = try Model(at: target).run([3, 0, 0, 1] as [Float])
    #expect(try output["probabilities"].classification != nil)
  }

  @Test func `Errors name what is missing`() throws {
    let one = teach([Self.embedder, try photos(["0"], 0..<3)])
    #expect(one.exitCode == 4 && one.messages.contains("only '0'"), "\(one)")
    let few = teach([Self.embedder, try photos(["1"], 0..<1)])
    #expect(few.exitCode == 4 && few.messages.contains("'1' has 1"), "\(few)")
    try folder.write("not an image", to: "photos/1/broken.png")
    let skipped = teach([Self.embedder, "\(folder.path)/photos"])
    #expect(
      skipped.exitCode == 4 && skipped.messages.contains("skipped: 1/broken.png"), "\(skipped)")
    let fixed = teach([Self.embedder, try photos(["3", "4"], 0..<3, in: "fixed"), "--refine", "2"])
    #expect(fixed.exitCode != 0 && fixed.messages.contains("\"train\""), "\(fixed)")
    for words in [
      ["--augment", "flip"], ["--refine", "2", "--augment", "blur"], ["--refine", "0"],
    ] {
      #expect(teach([Self.embedder, Self.digits] + words).exitCode == 2)
    }
    let twice = teach([
      Self.embedder, "--add-class", "a=x", "--add-class", "a=y",
    ])
    #expect(twice.exitCode == 2 && twice.messages.contains("twice"), "\(twice)")
    #expect(teach([Self.embedder]).exitCode == 2)
    #expect(TestConsole.run(["teach", Self.embedder, Self.digits]).exitCode == 2)
    #expect(teach([Self.embedder, Self.digits], to: "\(folder.path)/mine").exitCode == 2)
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test func `Broken images are counted and skipped, and a second time nothing is computed`() throws
  {
    let data = try photos(["0", "1"], 0..<6)
    try folder.write("not an image", to: "photos/0/broken.png")
    try FileManager.default.copyItem(
      atPath:
        "\(data)/0/\(try FileManager.default.contentsOfDirectory(atPath: "\(data)/0").sorted()[0])",
      toPath: "\(data)/0/zz-copy.png")
    let taught = teach([Self.embedder, data])
    try #require(taught.exitCode == 0, "\(taught)")
    let report = try taught.json()
    #expect(report["skipped"]?.array?.map { $0["name"]?.string } == ["0/broken.png"])
    #expect(report["duplicates"]?[0]?["name"]?.string == "0/zz-copy.png")
    #expect(report["examples"]?.number == 12)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/cache/embeddings.sqlite"))
    #expect(teach([Self.embedder, data]).exitCode != 0)  // the bundle exists
    let again = teach([Self.embedder, data, "--force"])
    #expect(try again.json()["accuracy"] == report["accuracy"])
  }

  @Test func `A gallery becomes a classifier`() throws {
    let gallery = "\(folder.path)/digits.sqlite"
    for label in ["0", "1", "7"] {
      let enrolled = TestConsole.run(
        ["gallery", "enroll", label, "\(try photos([label], 0..<6, in: "g\(label)"))/\(label)"]
          + ["--bundle", Self.embedder, "--gallery", gallery])
      try #require(enrolled.exitCode == 0, "\(enrolled)")
    }
    var teacher = try Teacher(Model(at: Self.embedder), .init(cacheFolder: nil))
    try teacher.add(galleryAt: gallery)
    #expect(teacher.exampleCounts.allSatisfy { $0 == 6 } && teacher.classes == ["0", "1", "7"])
    #expect(try teacher.fit().report.accuracy.value >= 0.9)
    #expect(throws: ModelError.self) { try teacher.add(galleryAt: "\(folder.path)/none.sqlite") }
    let taught = teach([Self.embedder, "--from", gallery])
    try #require(taught.exitCode == 0, "\(taught)")
    #expect(try taught.json()["examples"]?.number == 18)
    let other = teach([
      ProjectFiles.path("Examples/Bundles/face-embedder.tiobundle"), "--from", gallery, "--force",
    ])
    #expect(other.exitCode == 4 && other.messages.contains("embedder"), "\(other)")
  }
}
