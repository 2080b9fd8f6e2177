import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Folders as model hubs publish them, with the tiny models of `Scripts/fixtures/onnx-models/hub.py`.
@Suite(.ownThreads) struct HubModelTests {
  private static func path(_ name: String) -> String {
    ProjectFiles.path("Tests/Fixtures/Hub/" + name)
  }

  private let folder: TemporaryFolder
  private var target: String { folder.path + "/x.tiobundle" }

  init() throws { folder = try TemporaryFolder() }

  /// Copies a folder, so that a test can change its files.
  private func copy(_ name: String) throws -> String {
    let copy = folder.path + "/copied-" + name
    try FileManager.default.copyItem(atPath: Self.path(name), toPath: copy)
    return copy
  }

  private func write(_ text: String, to file: String) throws {
    try? FileManager.default.removeItem(atPath: file)
    try text.write(toFile: file, atomically: false, encoding: .utf8)
  }

  /// Drafts a bundle; returns the values of the report by their paths, and those to review.
  @discardableResult
  private func draft(_ source: String) throws -> (values: [String: String], reviews: [String]) {
    let made = TestConsole.run(["init", source, "-o", target, "--force", "--format", "json"])
    try #require(made.exitCode == 0, "\(made.messages)")
    let report = try made.json()
    #expect(report["failure"] == nil, "\(made.output)")
    var (values, reviews) = ([String: String](), [String]())
    for value in try #require(report["values"]?.array) {
      let path = value["path"]?.string ?? ""
      values[path] = value["value"]?.string
      if value["review"]?.string != nil { reviews.append(path) }
    }
    return (values, reviews)
  }

  private static func goldens(_ name: String) throws -> [JSONValue] {
    let bytes = try Array(Data(contentsOf: URL(filePath: path("goldens.json"))))
    return try #require(JSONDocument(parsing: bytes).root.value[name]?.elements)
  }

  private static func numbers(_ value: JSONValue?) throws -> [Float] {
    try #require(value?.elements).compactMap { $0.double.map(Float.init) }
  }

  private static func isClose(_ one: [Float], _ other: [Float]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 2e-6 }
  }

  /// Calls a closure with the model of the bundle that is made of a folder, and with the folder opened as it is.
  private func withModels(_ name: String, _ body: (Model) throws -> Void) throws {
    try draft(Self.path(name))
    for path in [target, Self.path(name)] {
      try body(Model(at: path, options: OpeningOptions(threads: 1)))
    }
    let validated = TestConsole.run(["validate", target, "--strict"])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  // MARK: Texts

  @Test func `An encoder of sentences returns one vector, whatever the length of the text`() throws
  {
    try withModels("sentences") { model in
      for golden in try Self.goldens("sentences") {
        let text = try #require(golden["input"]?.string)
        let vector = try model.run(text).embedding.values
        #expect(
          try Self.isClose(vector, Self.numbers(golden["embedding"])), "\(text)")
      }
      #expect(model.embeddingOptions.metric == .cosine)
    }
    let (values, reviews) = try draft(Self.path("sentences"))
    #expect(values["/inputs/0/max_length"] == "12")
    #expect((values["/task/pooling"], values["/task/metric"]) == (#""mean""#, #""cosine""#))
    // Bundles have no key for what is put before queries.
    #expect(reviews == ["/task/prompts/query"])
  }

  @Test func `A classifier of texts returns probabilities with its labels`() throws {
    try withModels("sentiment") { model in
      for golden in try Self.goldens("sentiment") {
        let classes = try model.run(try #require(golden["input"]?.string)).classes
        let scores = classes.sorted { $0.index < $1.index }.map(\.score)
        #expect(
          try Self.isClose(scores, Self.numbers(golden["scores"])))
        #expect(Set(classes.map(\.label)) == ["NEGATIVE", "POSITIVE"])
      }
    }
    let (values, reviews) = try draft(Self.path("sentiment"))
    #expect(values["/task/activation"] == #""softmax""#)
    #expect(values["/inputs/0/max_length"] == "20")
    #expect(reviews.isEmpty, "\(reviews)")
  }

  @Test func `A reranker scores a pair of texts`() throws {
    try withModels("reranker") { model in
      for golden in try Self.goldens("reranker") {
        let pair = try #require(golden["input"]?.elements?.compactMap { $0.string })
        let score = try model.run(pair).classes.map(\.score)
        #expect(
          try Self.isClose(score, Self.numbers(golden["scores"])))
      }
    }
    let pair = #"["Who wrote it?", "Ada wrote the program in London."]"#
    let printed = TestConsole.run(["run", Self.path("reranker"), pair, "--format", "json"])
    #expect(printed.output.contains("0.344"), "\(printed)")
    #expect(printed.messages.isEmpty, "\(printed.messages)")
  }

  @Test(
    arguments: [
      (#""sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}"#, nil),
      (
        #""sbert_ce_default_activation_function": "torch.nn.modules.activation.Sigmoid""#, "sigmoid"
      ),
      (#""problem_type": "regression""#, nil), (#""num_labels": 1"#, "sigmoid"),
    ] as [(String, String?)])
  func `The folder states the function of a score`(member: String, activation: String?) throws {
    let hub = try copy("reranker")
    let config = try String(contentsOfFile: hub + "/config.json", encoding: .utf8)
    try write(
      config.replacing("{\"model_type\"", with: "{\(member), \"model_type\""),
      to: hub + "/config.json")
    #expect(try draft(hub).values["/task/activation"] == activation.map { "\"\($0)\"" })
  }

  @Test func `A classifier whose labels do not exclude each other has a sigmoid`() throws {
    let hub = try copy("sentiment")
    let config = try String(contentsOfFile: hub + "/config.json", encoding: .utf8)
    try write(
      config.replacing(
        "{\"model_type\"", with: "{\"problem_type\": \"multi_label_classification\", \"model_type\""
      ),
      to: hub + "/config.json")
    #expect(try draft(hub).values["/task/activation"] == #""sigmoid""#)
  }

  @Test func `A model that labels tokens returns entities`() throws {
    try withModels("names") { model in
      for golden in try Self.goldens("names") {
        let text = try #require(golden["input"]?.string)
        let tags = try #require(golden["tokens"]?.elements?.compactMap { $0.string })
        let entities = try model.run(text).entities
        let hasNames = tags.dropFirst().dropLast().contains { $0 != "O" }
        #expect(entities.isEmpty != hasNames, "\(text)")
        #expect(entities.allSatisfy { $0.label == "PER" })
      }
      // [CLS] Ada wrote the first … : I-PER, O, B-PER, I-PER.
      #expect(
        try model.run("Ada wrote the first program.").entities.map(\.text)
          == ["Ada", "the first", "program", "."])
    }
  }

  @Test func `A model that finds answers returns the section of the text`() throws {
    try withModels("answers") { model in
      let golden = try #require(Self.goldens("answers").first)
      let pair = try #require(golden["input"]?.elements?.compactMap { $0.string })
      let answer = try #require(model.run(pair).answers.first)
      #expect(answer.text.lowercased() == golden["answer"]?.string)
      #expect(abs(Double(answer.score) - (golden["score"]?.double ?? 0)) < 2e-6)
    }
    #expect(try draft(Self.path("answers")).values["/task/window"] == "20")
  }

  // MARK: Images

  @Test(arguments: ["vit", "convnext", "timm"])
  func `A classifier of images prepares them as the folder states`(name: String) throws {
    let image = try ImageBuffer(contentsOf: Self.path("image.png"))
    try withModels(name) { model in
      let classes = try model.run(image).classes
      let scores = classes.sorted { $0.index < $1.index }.map(\.score)
      #expect(
        try Self.isClose(scores, Self.numbers(Self.goldens(name)[0]["scores"])), "\(scores)")
      #expect(classes.map(\.label).sorted() == ["circle", "line", "square"])
    }
    let (values, reviews) = try draft(Self.path(name))
    #expect(reviews.isEmpty, "\(reviews)")
    #expect(values["/inputs/0/resize"] == (name == "vit" ? nil : "18"))
    #expect(values["/inputs/0/filter"] == (name == "vit" ? "bilinear" : "bicubic"))
  }

  @Test(arguments: [
    ("detr", "softmax"), ("rt-detr", "sigmoid"), ("detr-free", "softmax"),
  ])
  func `A detector of queries returns the objects of Transformers`(
    name: String, activation: String
  ) throws {
    let image = try ImageBuffer(contentsOf: Self.path("image.png"))
    try withModels(name) { model in
      let found = try model.run(image).detections
      let goldens = try Self.goldens(name)
      #expect(found.map(\.label) == goldens.map { $0["label"]?.string })
      for (detection, golden) in zip(found, goldens) {
        #expect(abs(Double(detection.score) - (golden["score"]?.double ?? 0)) < 1e-5)
        let box = detection.box
        let sides = [box.xmin, box.ymin, box.xmax, box.ymax].map { Float($0) }
        let expected = try Self.numbers(golden["box"])
        #expect(zip(sides, expected).allSatisfy { abs($0 - $1) < 1e-3 }, "\(sides) \(expected)")
      }
    }
    let (values, reviews) = try draft(Self.path(name))
    #expect(values["/task/activation"] == "\"\(activation)\"")
    #expect(reviews.isEmpty, "\(reviews)")
  }

  @Test func `Planes of scores with free sides are enlarged to the image`() throws {
    let image = try ImageBuffer(contentsOf: Self.path("image.png"))
    try withModels("segformer") { model in
      let regions = try model.run(image).segmentation.regions
      for golden in try Self.goldens("segformer") {
        let region = try #require(regions.first { $0.label == golden["label"]?.string })
        // A pixel whose classes are about equal may have the other one.
        #expect(abs(region.pixelCount - (golden["pixels"]?.int ?? 0)) <= 2, "\(region)")
      }
    }
    let reviews = try draft(Self.path("segformer")).reviews
    #expect(reviews.isEmpty, "\(reviews)")
  }

  @Test func `A model of depth returns a map`() throws {
    let image = try ImageBuffer(contentsOf: Self.path("image.png"))
    try withModels("depth") { model in
      let map = try model.run(image).map
      let expected = try Self.numbers(Self.goldens("depth")[0]["row"])
      let row = (0..<map.width).map { map.values[20 * map.width + $0] }
      #expect(row.count == expected.count)
      #expect(zip(row, expected).allSatisfy { abs($0 - $1) < 1e-4 }, "\(row)")
    }
    // The folder enlarges maps with another filter.
    #expect(try draft(Self.path("depth")).reviews == ["/task/size"])
  }

  // MARK: Other files

  @Test func `An output with the vector of the whole sentence needs no pooling`() throws {
    let hub = try copy("sentences")
    let model = hub + "/onnx/model.onnx"
    let bytes = try Data(contentsOf: URL(filePath: model))
    // The name has the same length as that of the states, so that the file stays valid.
    let renamed = bytes.replacing(
      Data("last_hidden_state".utf8), with: Data("sentence_embeddin".utf8))
    try renamed.write(to: URL(filePath: model))
    // An output of another name, with a vector for each token.
    #expect(try draft(hub).values["/task/pooling"] == #""mean""#)
    try write(
      #"{"pooling_mode": ["cls"], "embedding_dimension": 4}"#, to: hub + "/1_Pooling/config.json")
    #expect(try draft(hub).values["/task/pooling"] == #""cls""#)
  }

  @Test func `Without a file that states the pooling, the mean is reviewed`() throws {
    let hub = try copy("sentences")
    for file in ["modules.json", "1_Pooling/config.json", "config_sentence_transformers.json"] {
      try FileManager.default.removeItem(atPath: "\(hub)/\(file)")
    }
    let (values, reviews) = try draft(hub)
    #expect(values["/task/pooling"] == #""mean""# && reviews.contains("/task/pooling"))
    #expect(try ModelBundle(at: target).description.task?.settings["pooling"] == "mean")
  }

  @Test func `A folder with a pooling that bundles do not have is rejected`() throws {
    let hub = try copy("sentences")
    try write(#"{"pooling_mode": "weightedmean"}"#, to: hub + "/1_Pooling/config.json")
    let made = TestConsole.run(["init", hub, "-o", target])
    #expect(made.exitCode != 0 && made.messages.contains("pooling"), "\(made)")
    let error = #expect(throws: ModelError.self) { try Model(at: hub) }
    #expect(error?.message.contains("pooling") == true, "\(String(describing: error))")
  }

  @Test func `Code of a folder is named and not run`() throws {
    let hub = try copy("sentiment")
    let config = try String(contentsOfFile: hub + "/config.json", encoding: .utf8)
    try write(
      config.replacing(
        "{\"model_type\"",
        with: #"{"auto_map": {"AutoModel": "modeling.Own"}, "model_type""#),
      to: hub + "/config.json")
    try write("import os; os._exit(3)", to: hub + "/modeling.py")
    let opened = TestConsole.run(["run", hub, "good book"])
    #expect(opened.exitCode == 0 && opened.messages.contains("may be wrong"), "\(opened)")
    let made = TestConsole.run(["init", hub, "-o", target])
    #expect(made.output.contains("modeling.Own") && made.output.contains("is not run"))
  }

  @Test(arguments: [
    ("model.safetensors", "optimum-cli export onnx"), ("pytorch_model.bin", "pickle"),
    ("weights.txt", "have to be exported"),
  ])
  func `The error for a folder without a model has the remedy`(file: String, message: String)
    throws
  {
    let hub = try copy("sentiment")
    try FileManager.default.removeItem(atPath: hub + "/onnx")
    try write("0", to: "\(hub)/\(file)")
    for arguments in [["init", hub, "-o", target], ["run", hub, "good book"]] {
      let result = TestConsole.run(arguments)
      #expect(result.exitCode != 0 && result.messages.contains(message), "\(result.messages)")
    }
  }

  @Test func `A vocabulary of BERT takes the place of a missing tokenizer`() throws {
    let hub = try copy("sentiment")
    let file = try JSONDocument(
      parsing: Array(Data(contentsOf: URL(filePath: hub + "/tokenizer.json"))))
    let words = try #require(file.root["model"]?["vocab"]?.members.map(Array.init)).map(\.name)
    try FileManager.default.removeItem(atPath: hub + "/tokenizer.json")
    try write(words.joined(separator: "\n") + "\n", to: hub + "/vocab.txt")
    #expect(try draft(hub).values["/inputs/0/tokenizer"] == "wordpiece (vocab.txt)")
    let golden = try #require(Self.goldens("sentiment").first)
    let classes = try Model(at: target).run(try #require(golden["input"]?.string)).classes
    #expect(
      try Self.isClose(
        classes.sorted { $0.index < $1.index }.map(\.score), Self.numbers(golden["scores"])))
  }

  @Test func `The parts of a text are recognized in a model without a folder`() throws {
    let model = folder.path + "/alone.onnx"
    try FileManager.default.copyItem(atPath: Self.path("sentences/onnx/model.onnx"), toPath: model)
    let missing = try draft(model)
    #expect(missing.reviews.contains("/inputs/0/tokenizer"), "\(missing)")
    try FileManager.default.copyItem(
      atPath: Self.path("sentences/tokenizer.json"), toPath: folder.path + "/tokenizer.json")
    let found = try draft(model)
    #expect(found.values["/inputs/0/tokenizer"] == "huggingface (tokenizer.json)")
    #expect(found.values["/inputs/2/part"] == "segments")
    #expect(found.reviews.contains("/inputs/0/max_length"))
    #expect(try Model(at: target).callerInputs.map(\.name) == ["input_ids"])
  }

  @Test(arguments: [
    ("sentiment", "config.json", #"{"model_type": "x", "id2label": {"a": 1, "-3": []}}"#),
    ("sentiment", "config.json", #"{"model_type": 7, "architectures": [[]], "id2label": 3}"#),
    ("sentences", "modules.json", #"[{"type": 3}, 4, null]"#),
    ("sentences", "1_Pooling/config.json", "[]"),
    ("sentences", "sentence_bert_config.json", #"{"max_seq_length": -1e99}"#),
    ("vit", "preprocessor_config.json", #"{"size": {"height": -1, "width": 1e9}, "resample": 99}"#),
    ("vit", "preprocessor_config.json", #"{"size": 0, "image_std": [0, 0, 0], "image_mean": "x"}"#),
    ("vit", "preprocessor_config.json", #"{"size": 16, "rescale_factor": -1, "crop_size": []}"#),
    (
      "convnext", "preprocessor_config.json",
      #"{"image_processor_type": "ConvNextImageProcessor", "size": 16, "crop_pct": 1e-300}"#
    ),
    ("vit", "preprocessor_config.json", "{"),
  ])
  func `Contradictory files are reviewed or errors, and nothing crashes`(
    name: String, file: String, text: String
  ) throws {
    let hub = try copy(name)
    try write(text, to: "\(hub)/\(file)")
    let made = TestConsole.run(["init", hub, "-o", target])
    #expect([0, 3, 4].contains(made.exitCode), "\(made)")
    #expect(
      made.exitCode != 0 || made.output.contains("Review:") || made.output.contains("No values"))
  }
}
