import Foundation
import TensorIOBundle
import TensorIOTestSupport
import Testing

@Suite struct InitVerbTests {
  private static let models =
    ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle").flatMap { bundle in
      [bundle + "/model.tflite", bundle + "/model"].filter(FileManager.default.fileExists)
    }
    + ["gather-string", "dynamic-batch", "detector", "double-float16", "picture-negative"].map {
      ProjectFiles.path("Tests/Fixtures/Models/\($0).tflite")
    }

  @Test(arguments: models)
  func `A bundle of every kind of model validates`(_ model: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run(["init", model, "-o", target])
    #expect(made.exitCode == 0 && made.lines.first == target, "\(made.messages)")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  @Test func `A model with labels runs at once`() throws {
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run([
      "init", digits + "/model.tflite", "--output=\(target)", "--name", "Digits",
      "--labels", digits + "/assets/labels.txt", "--format", "json",
    ])
    let values = try #require(made.json()["values"]?.array)
    let normalize = values.first { $0["path"]?.string == "/inputs/0/normalize" }
    #expect(normalize?["source"]?.string == "guess" && normalize?["check"]?.string != nil)
    let name = values.first { $0["path"]?.string == "/name" }
    #expect(name?["value"]?.string == "Digits" && name?["source"]?.string == "arguments")
    let answer = try TestConsole.run([
      "run", target, digits + "/samples/3-1.png", "--top", "1", "--format", "json",
    ]).json()
    #expect(answer["outputs"]?["classification"]?[0]?["label"]?.string == "3")
  }

  @Test(arguments: ["signature-keys", "linear-regression", "keras", "int64", "unknown-rank"])
  func `A bundle of a SavedModel validates`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/\(name).tiobundle/model")
    let made = TestConsole.run(["init", model, "-o", target])
    #expect(made.exitCode == 0, "\(made.messages)")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  @Test func `The layers of a SavedModel are called as its signature's keys`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/signature-keys.tiobundle/model")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    let answer = try TestConsole.run(["run", target, "b=[1,2]", "a=[5,7]"]).json()
    #expect(answer["outputs"]?["sum"]?.numbers == [6, 9])
    #expect(answer["outputs"]?["minus"]?.numbers == [4, 5])
  }

  @Test func `A SavedModel without a signature says so`() throws {
    let folder = try TemporaryFolder()
    let model = ProjectFiles.path("Tests/Fixtures/TensorFlow/no-signature.tiobundle/model")
    let outcome = TestConsole.run(["init", model, "-o", folder.path + "/x.tiobundle"])
    #expect(outcome.exitCode == 5 && outcome.firstMessageLine.contains("no signature"))
    #expect(folder.entries.isEmpty)
  }

  @Test func `What is there is written over only when told to`() throws {
    let model = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle/model.tflite")
    let folder = try TemporaryFolder()
    try folder.write("mine", to: "x.tiobundle/mine.txt")
    let target = folder.path + "/x.tiobundle"
    let refused = TestConsole.run(["init", model, "-o", target])
    #expect(refused.exitCode == 2 && refused.firstMessageLine.hasSuffix("--force writes over it"))
    #expect(TestConsole.run(["init", model, "-o", target, "--force"]).exitCode == 0)
    #expect(folder.entries == ["x.tiobundle"])
  }

  @Test func `A bundle's name ends as those of bundles do`() {
    let outcome = TestConsole.run(["init", "model.tflite", "-o", "x"])
    #expect(outcome.exitCode == 2)
    #expect(outcome.firstMessageLine.hasSuffix("-o x.tiobundle"))
  }

  @Test(arguments: [("unknown-operator", Int32(5)), ("removed-operator", 5), ("nothing", 3)])
  func `A model that cannot be run gets no bundle`(_ model: String, _ exit: Int32) throws {
    let folder = try TemporaryFolder()
    let path = ProjectFiles.path("Tests/Fixtures/Models/\(model).tflite")
    let outcome = TestConsole.run(["init", path, "-o", folder.path + "/x.tiobundle"])
    #expect(outcome.exitCode == exit, "\(outcome.messages)")
    #expect(folder.entries.isEmpty)
  }
}

@Suite(.enabled(if: SharedFixtures.areAvailable)) struct InitSharedModelTests {
  private static let models = {
    let models = SharedFixtures.entries(of: "real/models", suffix: ".tflite")
    SharedFixtures.report("init", models.count)
    return models
  }()

  @Test func `A published classifier says rocking chair with no hand editing`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let model = SharedFixtures.path("real/models/mobilenet_v2_1.0_224_quant.tflite")
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    let answer = try TestConsole.run([
      "run", target, SharedFixtures.path("real/images/example-image.jpg"), "--top", "1",
      "--format", "json",
    ]).json()
    let best = answer["outputs"]?["probability"]?[0]
    #expect(best?["label"]?.string?.hasPrefix("rocking chair") == true)
    #expect(isClose(best?["score"]?.number ?? 0, to: 0.878, within: 0.01))
    let report = TestConsole.run(["validate", target, "--strict"])
    #expect(report.exitCode == 0, "\(report.output)")
  }

  @Test(arguments: models)
  func `Every published model gets a bundle that validates`(_ model: String) throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    #expect(TestConsole.run(["init", model, "-o", target]).exitCode == 0)
    #expect(TestConsole.run(["validate", target]).exitCode == 0)
  }

  @Test func `A published detector gets the roles of its exporter`() throws {
    let folder = try TemporaryFolder()
    let target = folder.path + "/x.tiobundle"
    let metadata = try folder.write(
      """
      {
          "inputShape": [1, 256, 256, 3 /* channels */],
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
    let model = SharedFixtures.path("real/models/traffic_model.tflite")
    let made = TestConsole.run(["init", model, "-o", target, "--metadata", metadata])
    #expect(made.exitCode == 0, "\(made.messages)")
    let outputs = try ModelBundle(at: target).description.outputs
    #expect(outputs.prefix(4).map(\.role) == [.boxes, .classes, .scores, .count])
    #expect(outputs.map(\.name).suffix(2) == ["lstm_c", "lstm_h"])
    let inputs = try ModelBundle(at: target).description.inputs
    #expect(inputs.map(\.typeName) == ["image", "array", "array"])
  }
}
