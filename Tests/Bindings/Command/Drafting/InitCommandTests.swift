import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIODrafting

@Suite(.ownThreads) struct InitCommandTests {
  private static let models =
    ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle").flatMap { bundle in
      [bundle + "/model.tflite", bundle + "/model"].filter(FileManager.default.fileExists)
    }
    + ["gather-string", "dynamic-batch", "detector", "double-float16", "picture-negative"].map {
      ProjectFiles.path("Tests/Fixtures/Models/\($0).tflite")
    }
    + ["colors", "colors-float", "segments", "quarters"].map {
      ProjectFiles.path("Tests/Fixtures/Conformance/\($0).tiobundle/model.tflite")
    } + [tracker]
  private static let tracker = ProjectFiles.path("Tests/Fixtures/Conformance/tracker.tflite")

  @Test func `A bundle that does not run is written, and the report says why`() throws {
    let folder = try TemporaryFolder()
    // An index that is out of bounds for each input but -5.
    let sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "five"], ["sum"]),
      ONNXSketch.node("Cast", ["sum"], ["index"], domain: "", ONNXSketch.attribute("to", 7)),
      ONNXSketch.node("Gather", ["five", "index"], ["y"]),
      constants: [ONNXSketch.constant("five", [1], floats: [5])])
    let model = try folder.write(sketch.bytes, to: "index.onnx")
    let target = folder.path + "/x.tiobundle"
    let text = TestConsole.run(["init", model, "-o", target])
    #expect(text.exitCode == 0, "\(text.messages)")
    #expect(text.output.contains("This bundle does not run yet: a trial run with generated values"))
    #expect(!text.output.contains("try: "))
    let json = TestConsole.run(["init", model, "-o", target, "--force", "--format", "json"])
    #expect(try JSONTree(json.output)["failure"]?.string?.contains("trial run") == true)
  }

  @Test func `Files that are not models are explained`() throws {
    let folder = try TemporaryFolder()
    try folder.write("PK", to: "hand_landmarker.task")
    try folder.write("", to: "net.pt")
    let reports = ["hand_landmarker.task": "several models", "net.pt": "torch.onnx.export"]
    for (file, text) in reports {
      let result = TestConsole.run(["init", "\(folder.path)/\(file)"])
      #expect(result.exitCode != 0 && result.messages.contains(text), "\(result.messages)")
    }
    let missing = TestConsole.run(["init", "\(folder.path)/nothing.onnx"])
    #expect(missing.messages.contains("no such file or folder"))
    #expect(!missing.messages.contains("bundle has no file"))
  }

  @Test func `A bare model runs as init would describe it, and the guesses are mentioned`() throws {
    let model = ProjectFiles.path("Tests/Fixtures/ONNX/linear-one.onnx")
    let result = TestConsole.run(["run", model, "[1,2,3,4]"])
    #expect(result.exitCode == 0 && result.messages.isEmpty, "\(result.messages)")
    #expect(try Model(at: model).run([1, 2, 3, 4] as [Float]).layers.count == 1)
    // How its images are prepared is not in the file.
    let guessed = ProjectFiles.path("Tests/Fixtures/ONNX/picture.onnx")
    let inspected = TestConsole.run(["inspect", guessed])
    #expect(inspected.exitCode == 0)
    #expect(inspected.messages.contains("init \(guessed)` lists them"), "\(inspected.messages)")
  }

  @Test(arguments: [["pack"], ["swift"]])
  func `A command that takes bundles names init for a bare model`(_ words: [String]) throws {
    let model = ProjectFiles.path("Tests/Fixtures/ONNX/linear-one.onnx")
    let result = TestConsole.run(words.prefix(1) + [model] + words.dropFirst())
    #expect(result.exitCode == 3)
    #expect(result.messages.contains("`tensorio init"), "\(result.messages)")
  }

  @Test func `The number of models is printed`() {
    CaseCount.report(
      "init", project: Self.models.count, shared: InitSharedModelTests.models.count)
  }

  @Test(arguments: models)
  func `Drafted bundles of all kinds of models are valid`(_ model: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run(["init", model, "-o", target])
    #expect(made.exitCode == 0 && made.lines.first == target, "\(made.messages)")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  /// Two detectors with the same form, by the path of their models and the side of their images.
  @Test(
    arguments: [(tracker, 32)]
      + InitSharedModelTests.models.filter { $0.hasSuffix("/traffic_model.tflite") }.map {
        ($0, 256)
      })
  func `A detector gets the roles in its exporter's metadata`(model: String, side: Int) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let metadata = try folder.write(
      """
      {
          "inputShape": [1, \(side), \(side), 3 /* channels */],
          "inputTensor": "normalized_input_image_tensor",
          "maxDetections": 40, // boxes
          "outputTensorRepresentation": [
              "bounding_boxes", "class_labels", "class_confidences", "num_of_boxes"
          ],
          "outputTensors": [
              "TFLite_Detection_PostProcess", "TFLite_Detection_PostProcess:1",
              "TFLite_Detection_PostProcess:2", "TFLite_Detection_PostProcess:3"
          ]
      }
      ...
      """, to: "tflite_metadata.json")
    let made = TestConsole.run(["init", model, "-o", target, "--metadata", metadata])
    #expect(made.exitCode == 0, "\(made.messages)")
    let outputs = try ModelBundle(at: target).description.outputs
    #expect(outputs.prefix(4).map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(outputs.map(\.name).suffix(2) == ["lstm_c", "lstm_h"])
    let inputs = try ModelBundle(at: target).description.inputs
    #expect(inputs.map(\.typeName) == ["image", "array", "array"])
  }

  @Test func `A quiet draft prints the path of the bundle only`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run(["init", Example.digits + "/model.tflite", "-o", target, "--quiet"])
    #expect(made.exitCode == 0 && made.output == target + "\n" && made.messages.isEmpty)
  }

  @Test(arguments: [
    ("a.keras", ".export(\"folder\")"), ("a.h5", ".export("), ("a.pt", "converted"),
    ("a.onnx", "no graph"),
  ])
  func `A file of another framework is rejected with a remedy`(
    _ name: String, _ remedy: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("PK", to: name)
    let made = TestConsole.run(["init", path, "-o", folder.path + "/x.tiobundle"])
    #expect(made.exitCode == 5 && made.firstMessageLine.contains(remedy), "\(made)")
    #expect(folder.entries == [name])
  }

  @Test func `A bundle drafted with labels runs without editing`() throws {
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run([
      "init", digits + "/model.tflite", "--output=\(target)", "--name", "Digits",
      "--labels", digits + "/assets/labels.txt", "--format", "json",
    ])
    let values = try #require(made.json()["values"]?.array)
    let normalize = values.first { $0["path"]?.string == "/inputs/0/normalize" }
    #expect(normalize?["source"]?.string == "heuristic" && normalize?["review"]?.string != nil)
    let name = values.first { $0["path"]?.string == "/name" }
    #expect(name?["value"]?.string == "Digits" && name?["source"]?.string == "arguments")
    let record = try TestConsole.run([
      "run", target, digits + "/samples/3-1.png", "--top", "1", "--format", "json",
    ]).json()
    #expect(record["outputs"]?["classification"]?[0]?["label"]?.string == "3")
  }

  @Test(arguments: ["signature-keys", "linear-regression", "keras", "int64", "unknown-rank"])
  func `A bundle drafted from a SavedModel is valid`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/\(name).tiobundle/model")
    let made = TestConsole.run(["init", model, "-o", target])
    #expect(made.exitCode == 0, "\(made.messages)")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  @Test func `The signature train of a SavedModel becomes the mode train`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let fixture = ProjectFiles.path("Tests/Fixtures/TensorFlow/linear-regression.tiobundle")
    #expect(TestConsole.run(["init", fixture + "/model", "-o", target]).exitCode == 0)
    let description = try JSONTree(contentsOf: target + "/model.json")
    #expect(description["model"]?["modes"]?.array?.compactMap(\.string) == ["predict", "train"])
    #expect(description["train"]?["ops"]?.array?.compactMap(\.string) == ["train"])
    let data = try folder.write("x,target\n\"[1,2]\",3\n\"[0,1]\",1\n", to: "data.csv")
    let trained = TestConsole.run(["train", target, data, "--epochs", "2"])
    #expect(trained.exitCode == 0, "\(trained)")
  }

  @Test func `The signature train of a file of LiteRT becomes the mode train`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let bundle = ProjectFiles.path("Examples/Bundles/digits-trainable-tflite.tiobundle")
    let labels = bundle + "/assets/labels.txt"
    let made = TestConsole.run(
      ["init", bundle + "/model.tflite", "--labels", labels, "-o", target])
    try #require(made.exitCode == 0, "\(made.messages)")
    let train = try #require(try JSONTree(contentsOf: target + "/model.json")["train"])
    #expect(train["ops"]?.array?.compactMap(\.string) == ["train"])
    let names = { (key: String) in (train[key]?.array ?? []).compactMap { $0["name"]?.string } }
    #expect(Set(names("inputs")) == ["image", "labels"])
    #expect(names("placeholders") == ["learning_rate"])
    #expect(names("outputs").contains("loss"))
    let data = ProjectFiles.path("Examples/Data/digits-held-out")
    let trained = TestConsole.run(
      ["train", target, data, "--placeholder", "learning_rate=0.01", "--validation-split", "0.5"])
    #expect(trained.exitCode == 0, "\(trained)")
  }

  @Test func `The layers of a SavedModel have the names of its signature's keys`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/signature-keys.tiobundle/model")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    let record = try TestConsole.run(["run", target, "b=[1,2]", "a=[5,7]"]).json()
    #expect(record["outputs"]?["sum"]?.numbers == [6, 9])
    #expect(record["outputs"]?["minus"]?.numbers == [4, 5])
  }

  @Test func `A SavedModel without a signature is rejected`() throws {
    let folder = try TemporaryFolder()
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/no-signature.tiobundle/model")
    let outcome = TestConsole.run(["init", model, "-o", folder.path + "/x.tiobundle"])
    #expect(outcome.exitCode == 5 && outcome.firstMessageLine.contains("no signature"))
    #expect(folder.entries.isEmpty)
  }

  @Test func `An existing bundle is overwritten only with --force`() throws {
    let model = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle/model.tflite")
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "x.tiobundle/mine.txt")
    let target = folder.path + "/x.tiobundle"
    let rejected = TestConsole.run(["init", model, "-o", target])
    #expect(
      rejected.exitCode == 2 && rejected.firstMessageLine.hasSuffix("to overwrite it, use --force"))
    #expect(TestConsole.run(["init", model, "-o", target, "--force"]).exitCode == 0)
    #expect(folder.entries == ["x.tiobundle"])
  }

  @Test func `The output needs a bundle's extension`() {
    let outcome = TestConsole.run(["init", "model.tflite", "-o", "x"])
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.hasSuffix("-o x.tiobundle"))
  }

  @Test(arguments: [("unknown-operator", Int32(5)), ("removed-operator", 5), ("nothing", 3)])
  func `A model that cannot run is rejected`(_ model: String, _ exit: Int32) throws {
    let folder = try TemporaryFolder()
    let path = ProjectFiles.path("Tests/Fixtures/Models/\(model).tflite")
    let outcome = TestConsole.run(["init", path, "-o", folder.path + "/x.tiobundle"])
    #expect(outcome.exitCode == exit, "\(outcome.messages)")
    #expect(folder.entries.isEmpty)
  }
}

/// Tests of what `tensorio init` reads from a model's graph or measures on images.
@Suite struct InitGraphTests {
  private let folder: TemporaryFolder
  private var target: String { folder.path + "/x.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func make(_ fixture: String, _ options: String...) throws -> ModelDescription {
    let model = ProjectFiles.path("Tests/Fixtures/Models/\(fixture).tflite")
    let made = TestConsole.run(["init", model, "-o", target] + options)
    try #require(made.exitCode == 0, "\(made.messages)")
    return try ModelBundle(at: target).description
  }

  @Test(arguments: [
    ("rescaling-raw", PixelRange.raw), ("rescaling-channels", .raw), ("rescaling-unit", .zeroToOne),
  ])
  func `A model that rescales its input gets the numbers that it expects`(
    fixture: String, range: PixelRange
  ) throws {
    guard case .image(let image) = try #require(make(fixture).inputs.first).kind else {
      Issue.record("no image")
      return
    }
    #expect(image.normalize == range.normalization)
  }

  @Test func `The signature for inference is run and names the layers`() throws {
    let description = try make("named-signatures")
    #expect(description.inputs.map(\.name) == ["features"])
    #expect(description.outputs.map(\.name) == ["scores"])
    let record = try TestConsole.run(["run", target, "[1,2,3,4]"]).json()
    #expect(record["outputs"]?["scores"]?.numbers == [2, 4, 6, 8])
  }

  @Test func `TensorFlow operators are an error only if inference requires them`() throws {
    let model = ProjectFiles.path("Tests/Fixtures/Models/flex-operator.tflite")
    let rejected = TestConsole.run(["init", model, "-o", target])
    #expect(rejected.exitCode == 5, "\(rejected)")
    #expect(rejected.messages.contains("TensorFlow operators (StringUpper)"), "\(rejected)")
    #expect(folder.entries.isEmpty)
    _ = try make("flex-in-part")
    let record = try TestConsole.run(["run", target, "[1,2,3,4]"]).json()
    #expect(record["outputs"]?["y"]?.numbers == [-1, -2, -3, -4])
  }

  @Test func `The preparation of images is measured on labeled images`() throws {
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    for name in try FileManager.default.contentsOfDirectory(atPath: digits + "/samples")
    where name.hasSuffix(".png") && !name.contains("slate") {
      let label = try #require(name.first)
      try FileManager.default.createDirectory(
        atPath: folder.path + "/data/\(label)", withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "\(digits)/samples/\(name)", toPath: "\(folder.path)/data/\(label)/\(name)")
    }
    // Without labels of its own, the model gets the names of the folders.
    let made = TestConsole.run([
      "init", digits + "/model.tflite", "-o", target, "--try", folder.path + "/data",
      "--format", "json",
    ])
    try #require(made.exitCode == 0, "\(made.messages)")
    let json = try made.json()
    let trial = try #require(json["trial"]?.array)
    #expect(trial.count >= 11)
    #expect(
      Set(trial.compactMap { $0["normalize"]?.string }) == ["raw", "[0,1]", "[-1,1]", "imagenet"])
    #expect(trial.contains { $0["normalize"]?.string == "[0,1]" && $0["correct"]?.number == 12 })
    let normalize = json["values"]?.array?.first { $0["path"]?.string == "/inputs/0/normalize" }
    #expect(normalize?["source"]?.string == "measurement")
    let bundle = try ModelBundle(at: target)
    guard case .image(let image) = bundle.description.inputs[0].kind else { return }
    #expect(image.normalize == .normalizing(to: .zeroToOne))
    let record = try TestConsole.run([
      "run", target, digits + "/samples/3-1.png", "--top", "1", "--format", "json",
    ]).json()
    #expect(record["outputs"]?.object?.values.first?[0]?["label"]?.string == "3")
  }

  @Test func `The normalization of ImageNet can be requested`() throws {
    let hub = ProjectFiles.path("Tests/Fixtures/Hub/vit")
    let made = TestConsole.run(["init", hub, "-o", target, "--normalize", "imagenet"])
    try #require(made.exitCode == 0, "\(made.messages)")
    guard case .image(let layer) = try ModelBundle(at: target).description.inputs[0].kind else {
      Issue.record("the input is no image")
      return
    }
    let imageNet = Normalization.normalizing(
      mean: ColorTriple(red: 0.485, green: 0.456, blue: 0.406),
      standardDeviation: ColorTriple(red: 0.229, green: 0.224, blue: 0.225))
    #expect(layer.normalize?.scale == imageNet.scale && layer.normalize?.bias == imageNet.bias)
  }

  @Test func `A trial needs a classifier and images with its labels`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/unknown", withIntermediateDirectories: true)
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    try FileManager.default.copyItem(
      atPath: digits + "/samples/3-1.png", toPath: folder.path + "/data/unknown/3.png")
    let unknown = TestConsole.run([
      "init", digits + "/model.tflite", "-o", target, "--labels", digits + "/assets/labels.txt",
      "--try", folder.path + "/data",
    ])
    #expect(unknown.exitCode == 4 && unknown.messages.contains("no image has one"), "\(unknown)")
    let numbers = ProjectFiles.path("Tests/Fixtures/Models/double-float32.tflite")
    let rejected = TestConsole.run(["init", numbers, "-o", target, "--try", folder.path + "/data"])
    #expect(rejected.exitCode == 4, "\(rejected)")
    #expect(folder.entries == ["data"])
  }
}

@Suite(.enabled(if: SharedFixtures.areAvailable)) struct InitSharedModelTests {
  static let models = SharedFixtures.entries(of: "real/models", suffix: ".tflite")

  @Test func `A published classifier recognizes a rocking chair without editing`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = SharedFixtures.path("real/models/mobilenet_v2_1.0_224_quant.tflite")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    let record = try TestConsole.run([
      "run", target, SharedFixtures.path("real/images/example-image.jpg"), "--top", "1",
      "--format", "json",
    ]).json()
    let best = record["outputs"]?["probability"]?[0]
    #expect(best?["label"]?.string?.hasPrefix("rocking chair") == true)
    #expect(isClose(best?["score"]?.number ?? 0, to: 0.878, within: 0.01))
    let report = TestConsole.run(["validate", target, "--strict"])
    #expect(report.exitCode == 0, "\(report.output)")
  }

  @Test(arguments: models)
  func `Drafted bundles of published models are valid`(_ model: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    #expect(TestConsole.run(["validate", target]).exitCode == 0)
  }
}
