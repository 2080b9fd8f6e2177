import Foundation
import TensorIOSystem
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

  @Test func `A drafted bundle has the files with weights`() throws {
    let folder = try TemporaryFolder()
    let bundle = try draft("linear-external", in: folder)
    #expect(FileKind(at: bundle + "/weights.bin") == .file)
    let outcome = TestConsole.run(["run", bundle, "[1,2,3,4]"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
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

  @Test(arguments: ["linear-external", "linear-batch"])
  func `A zip runs in another working directory and equals onnxruntime in Python`(
    _ name: String
  ) throws {
    let folder = try TemporaryFolder()
    let bundle = try draft("linear-batch", in: folder)
    try FileManager.default.removeItem(atPath: bundle + "/model.onnx")
    try folder.copy(Self.model(name), as: "x.tiobundle/model.onnx")
    if name == "linear-external" {
      try folder.copy(
        ProjectFiles.path("Tests/Fixtures/ONNX/weights.bin"), as: "x.tiobundle/weights.bin")
    }
    let zip = folder.path + "/x.zip"
    try #require(TestConsole.run(["pack", bundle, "-o", zip]).exitCode == 0)
    try FileManager.default.removeItem(atPath: bundle)
    let golden = try #require(
      JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/golden.json"))[name])
    let input = try #require(golden["input"]?.numbers)
    let expected = try #require(golden["outputs"]?["y"]?["values"]?.numbers)
    // Rows of different batches, in one command.
    let rows = stride(from: 0, to: input.count, by: 4).map { Array(input[$0..<$0 + 4]) }
    let values = rows.map { "'\($0)'" }.joined(separator: " ")
    for isolation in ["none", "process"] {
      let outcome = try Executable().script(
        """
        cd / && "$tensorio" run '\(zip)' --format ndjson --isolation \(isolation) \(values)
        """)
      try #require(outcome.exitCode == 0, "\(outcome.messages)")
      let actual = try outcome.jsonLines().flatMap { $0["outputs"]?["y"]?.numbers ?? [] }
      #expect(isClose(actual, to: expected, within: 1e-6), "\(actual)")
    }
  }

  private static let newerLibrary = ProcessInfo.processInfo.environment[
    "TENSORIO_NEWER_ONNX_LIBRARY"]

  @Test(
    .enabled(
      if: newerLibrary != nil,
      "TENSORIO_NEWER_ONNX_LIBRARY does not name ONNX Runtime 1.29 or later"))
  func `A library that reports its use by default writes nothing into the home folder`() throws {
    let folder = try TemporaryFolder()
    let home = folder.path + "/home"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let executable = Executable(environment: [
      "HOME": home, "XDG_CACHE_HOME": "", "TENSORIO_ONNX_LIBRARY": Self.newerLibrary ?? "",
    ])
    let target = folder.path + "/x.tiobundle"
    let made = try executable.run(["init", Self.model("linear-one"), "-o", target])
    #expect(made.exitCode == 0, "\(made.messages)")
    let ran = try executable.run(["run", target, "[1,2,3,4]"])
    #expect(ran.exitCode == 0, "\(ran.messages)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: home) == [])
  }

  @Test func `Scores of a classifier are labeled with its classes, and its strings are shown`()
    throws
  {
    let folder = try TemporaryFolder()
    let target = try draft("pipeline-arrays", in: folder)
    let labels = try String(contentsOfFile: target + "/assets/labels.txt", encoding: .utf8)
    #expect(labels == "setosa\nversicolor\nvirginica\n")
    let row = "[5.1,3.5,1.4,0.2]"
    let text = TestConsole.run(["run", target, row, "--format", "text"])
    #expect(text.output.contains("  label: \"setosa\"\n"), "\(text.output)")
    let csv = TestConsole.run(["run", target, row, "--format", "csv"])
    #expect(csv.output.contains(",label,0,,setosa\n"), "\(csv.output)")
  }

  @Test(arguments: [
    ("data.csv", "color,size,weight,label\nred,L,200,cheap\nblue,M,151,dear\npurple,S,90,cheap\n"),
    (
      "data.ndjson",
      #"{"color":"red","size":"L","weight":200,"label":"cheap"}"# + "\n"
        + #"{"color":["blue"],"size":"base64:TQ==","weight":[151],"label":"dear"}"# + "\n"
        + #"{"color":"purple","size":"S","weight":90,"label":"cheap"}"# + "\n"
    ),
  ])
  func `A pipeline that takes strings is evaluated on a table`(
    _ name: String, _ text: String
  ) throws {
    let folder = try TemporaryFolder()
    let target = try draft("pipeline-strings", in: folder)
    let data = try folder.write(text, to: name)
    let outcome = TestConsole.run(["evaluate", target, data, "--format", "json"])
    try #require(outcome.exitCode == 0, "\(outcome)")
    #expect(try outcome.json()[0]?["count"]?.number == 3, "\(outcome.output)")
    #expect(try outcome.json()[0]?["metrics"]?["top1"]?.number == 1)
    let missing = try folder.write("color,size,weight,label\nred,,200,cheap\n", to: "bad.csv")
    let error = TestConsole.run(["evaluate", target, missing])
    #expect(error.exitCode == 4 && error.messages.contains("line 2, column 5"), "\(error)")
    let compared = TestConsole.run(["compare", target, target, data])
    #expect(compared.exitCode == 0, "\(compared)")
  }

  @Test(arguments: ["zipmap", "arrays", "forest", "strings"])
  func `Pipelines of scikit-learn equal onnxruntime in Python`(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let target = try draft("pipeline-\(kind)", in: folder)
    let golden = try #require(
      JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/pipelines.json"))[
        "pipeline-\(kind)"])
    let inputs = try #require(golden["inputs"]?.object)
    let rows = (0..<3).map { row in JSONTree.object(inputs.mapValues { $0[row] ?? .null }).text }
    let outcome = TestConsole.run(
      ["run", target, "--format", "ndjson"] + rows)
    try #require(outcome.exitCode == 0, "\(outcome.messages)")
    let outputs = try outcome.output.split(separator: "\n").map {
      try JSONTree(String($0))["outputs"]
    }
    for (name, expected) in try #require(golden["outputs"]?.object) {
      let values = try #require(expected["values"]?.array)
      let actual = outputs.compactMap { $0?[name] }
      if values.first?.string != nil {
        let labels = values.compactMap(\.string)
        #expect(actual.compactMap(\.string) == labels)
      } else {
        // Scores with labels are a list of both, best first.
        let keys = (expected["keys"]?.array ?? []).compactMap(\.string)
        let numbers = actual.flatMap { Self.scores($0, keys) }
        #expect(isClose(numbers, to: values.compactMap(\.number), within: 1e-6), "\(numbers)")
      }
    }
  }

  /// Returns the numbers of an output, or its scores in the order of the labels, or of the indices if
  /// there are none.
  private static func scores(_ output: JSONTree, _ labels: [String]) -> [Double] {
    if let number = output.number { return [number] }
    if let numbers = output.numbers { return numbers }
    let entries = output.array ?? []
    guard !labels.isEmpty else {
      return entries.sorted { ($0["index"]?.number ?? -1) < ($1["index"]?.number ?? -1) }
        .compactMap { $0["score"]?.number }
    }
    return labels.compactMap { label in
      entries.first { $0["label"]?.string == label }?["score"]?.number
    }
  }
}
