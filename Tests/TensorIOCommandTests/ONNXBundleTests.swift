import Foundation
import TensorIOTestSupport
import Testing

/// Bundles of ONNX models on the command line.
@Suite(.ownThreads) struct ONNXBundleTests {
  private static func model(_ name: String) -> String {
    ProjectFiles.path("Tests/Fixtures/ONNX/\(name).onnx")
  }

  /// Drafts a bundle, and returns its path.
  private func draft(
    _ name: String, in folder: TemporaryFolder, _ options: [String] = []
  ) throws -> String {
    let target = folder.path + "/x.tiobundle"
    let made = TestConsole.run(["init", Self.model(name), "-o", target] + options)
    try #require(made.exitCode == 0, "\(made.messages)")
    return target
  }

  @Test(
    arguments: [
      "classes-named", "classes-numbered", "color-means", "convolution", "double-float64", "found",
      "linear-batch", "linear-one", "metadata", "recurrent", "reversed-strings",
    ])
  func `Drafted bundles are valid`(_ name: String) throws {
    let folder = try TemporaryFolder()
    let target = try draft(name, in: folder)
    let description = try JSONTree(contentsOf: target + "/model.json")
    #expect(description["model"]?["backend"]?.string == "onnx")
    #expect(description["model"]?["file"]?.string == "model.onnx")
    let validated = TestConsole.run(["validate", target])
    #expect(validated.exitCode == 0, "\(validated.output)")
  }

  @Test func `A drafted bundle runs, and its outputs have the names of the model's tensors`() throws
  {
    let folder = try TemporaryFolder()
    let target = try draft("linear-one", in: folder)
    let golden = try #require(
      JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/golden.json"))["linear-one"])
    let input = (golden["input"]?.array ?? []).compactMap(\.number)
    let expected = (golden["outputs"]?["y"]?["values"]?.array ?? []).compactMap(\.number)
    for isolation in ["none", "process"] {
      let ran = TestConsole.run([
        "run", target, "--format", "json", "--isolation", isolation,
        "[\(input.map { "\($0)" }.joined(separator: ","))]",
      ])
      #expect(ran.exitCode == 0, "\(ran.messages)")
      let text = ran.output
      for number in expected { #expect(text.contains("\(Float(number))".prefix(7)), "\(text)") }
    }
  }

  @Test func `The names of classes become labels`() throws {
    let folder = try TemporaryFolder()
    let target = try draft("metadata", in: folder)
    let labels = try String(contentsOfFile: target + "/assets/labels.txt", encoding: .utf8)
    #expect(labels == "cat\ndog's\nbird\n")
  }

  @Test func `The layers and tensors of an ONNX bundle are inspected`() throws {
    let folder = try TemporaryFolder()
    let target = try draft("recurrent", in: folder)
    let inspected = TestConsole.run(["inspect", target])
    #expect(inspected.exitCode == 0, "\(inspected.messages)")
    #expect(inspected.output.contains("[5,1,3]") && inspected.output.contains("onnx"))
  }

  @Test func `A model with weights in another file runs from a zip`() throws {
    let folder = try TemporaryFolder()
    let bundle = try draft("linear-batch", in: folder)
    try folder.copy(Self.model("linear-external"), as: "external.onnx")
    try FileManager.default.removeItem(atPath: bundle + "/model.onnx")
    try FileManager.default.moveItem(
      atPath: folder.path + "/external.onnx", toPath: bundle + "/model.onnx")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/ONNX/weights.bin"), as: "x.tiobundle/weights.bin")
    let packed = TestConsole.run(["pack", bundle, "-o", folder.path + "/x.zip"])
    try #require(packed.exitCode == 0, "\(packed.messages)")
    let runs = [bundle, folder.path + "/x.zip"].map {
      TestConsole.run(["run", $0, "--format", "json", "[1,2,3,4]"])
    }
    #expect(runs.allSatisfy { $0.exitCode == 0 }, "\(runs.map(\.messages))")
    let outputs = try runs.map { try $0.json()["outputs"] }
    #expect(outputs[0] != nil && outputs[0] == outputs[1])
  }
}
