import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

@Suite struct CompareTests {
  static let quantized = ProjectFiles.path("Examples/Bundles/digits-quantized.tiobundle")
  static let heldOut = ProjectFiles.path("Examples/Data/digits-held-out")
  static let samples = "\(Example.digits)/samples"

  private static func fixture(_ name: String) -> String {
    ProjectFiles.path("Tests/Fixtures/TensorFlow/\(name).tiobundle")
  }

  private func report(_ words: [String]) throws -> JSONTree {
    try TestConsole.run(["compare"] + words + ["--format", "json"]).json()
  }

  @Test func `The float and quantized digits models agree`() throws {
    let words = [
      "compare", Example.digits, Self.quantized, Self.heldOut, "--min-agreement", "0.99",
    ]
    let outcome = TestConsole.run(words + ["--format", "json"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
    let facts = try outcome.json()
    #expect(facts["a"]?.string == Example.digits && facts["b"]?.string == Self.quantized)
    #expect(facts["count"]?.number == 360 && facts["error_count"]?.number == 0)
    #expect(facts["agreement"]?.number ?? 0 >= 0.99)
    let largest = try #require(facts["max_difference"]?["classification"]?.number)
    let mean = try #require(facts["mean_difference"]?["classification"]?.number)
    #expect(mean > 0 && mean < largest && largest < 1)
    #expect(facts["speed_ratio"]?.number ?? 0 > 0)
    #expect(facts["latency_ms"]?["b"]?["total"]?["p50"]?.number ?? 0 > 0)
    let items = try #require(facts["largest_differences"]?.array)
    #expect(items.count == 10 && items[0]["input"]?.string?.hasPrefix(Self.heldOut) == true)
    #expect(items.compactMap { $0["max_difference"]?.number }.max() == largest)
  }

  @Test func `An exceeded tolerance fails the comparison`() {
    let outcome = TestConsole.run(
      ["compare", Example.digits, Self.quantized, Self.heldOut, "--tolerance", "0.000001"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines.contains { $0.hasPrefix("  classification") })
    #expect(outcome.firstMessageLine.hasPrefix("tensorio: the largest difference is 0."))
    #expect(outcome.firstMessageLine.hasSuffix("; --tolerance allows 1e-06"))
  }

  @Test func `A model has the same outputs in both runtimes`() throws {
    let models = [Self.fixture("picture-tflite"), Self.fixture("picture-tensorflow")]
    let outcome = TestConsole.run(
      ["compare"] + models + [Self.samples, "--tolerance", "1e-4", "--format", "json"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
    let facts = try outcome.json()
    #expect(facts["count"]?.number == 13 && facts["agreement"]?.number == 1)
    #expect(facts["max_difference"]?["probabilities"]?.number ?? 1 < 1e-4)
  }

  /// Returns the bundle of the ONNX model of the same network, whose images have the channels first.
  private func onnxPicture(in folder: TemporaryFolder) throws -> String {
    let bundle = try folder.copy(Self.fixture("picture-tflite"), as: "picture-onnx.tiobundle")
    try FileManager.default.removeItem(atPath: bundle + "/model.tflite")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/ONNX/picture.onnx"), as: "picture-onnx.tiobundle/model.onnx"
    )
    let changed = try String(contentsOfFile: bundle + "/model.json", encoding: .utf8)
      .replacing("model.tflite", with: "model.onnx")
      .replacing(#""backend": "tflite""#, with: #""backend": "onnx""#)
      .replacing("[-1, 16, 16, 3]", with: "[-1, 3, 16, 16]")
      .replacing(#""format": "RGB""#, with: #""format": "RGB", "layout": "NCHW""#)
    try Data(changed.utf8).write(to: URL(filePath: bundle + "/model.json"))
    return bundle
  }

  @Test func `A network has the same outputs as LiteRT model, SavedModel and ONNX model`() throws {
    let folder = try TemporaryFolder()
    let onnx = try onnxPicture(in: folder)
    let (liteRT, tensorFlow) = (
      Self.fixture("picture-tflite"), Self.fixture("picture-tensorflow")
    )
    for models in [[onnx, liteRT], [tensorFlow, onnx], [liteRT, tensorFlow]] {
      let facts = try report(models + [Self.samples, "--tolerance", "1e-5"])
      #expect(facts["count"]?.number == 13 && facts["agreement"]?.number == 1)
      #expect(facts["error_count"]?.number == 0)
      #expect(facts["max_difference"]?["probabilities"]?.number ?? 1 < 1e-5)
    }
    let golden = try JSONTree(contentsOf: tensorFlow + "/cases.json")["cases"]?[0]
    let ran = TestConsole.run([
      "run", onnx, tensorFlow + "/samples/picture.png", "--format", "json",
    ])
    let actual = try #require(try ran.json()["outputs"]?["probabilities"]?.numbers)
    let expected = try #require(golden?["outputs"]?["probabilities"]?.numbers)
    #expect(isClose(actual, to: expected, within: 1e-6))
  }

  @Test func `A bundle can be compared with itself at different thread counts`() throws {
    let facts = try report([Example.digits, Example.digits, "--threads", "1,2"])
    #expect(facts["threads"]?.numbers == [1, 2])
    #expect(facts["count"]?.number == 13 && facts["agreement"]?.number == 1)
    #expect(facts["largest_differences"]?.array?.isEmpty == true)
  }

  @Test func `The text format is a table`() throws {
    let bundle = try TinyBundle.double()
    let outcome = TestConsole.run([
      "compare", bundle.path, bundle.path, "[1,2,3,4]", "--threads", "1",
    ])
    #expect(outcome.exitCode == 0)
    #expect(
      outcome.lines.prefix(6) == [
        "A  \(bundle.path) (tflite, 1 thread)", "B  \(bundle.path) (tflite, 1 thread)",
        "1 of 1 items agree",
        "numbers agree up to a difference of 0.0001, relative to numbers above 1",
        "  output  agreement  max difference  mean difference",
        "  y          1.0000               0                0",
      ])
    #expect(outcome.lines.last?.hasPrefix("  total ") == true)
  }

  /// Returns a bundle that doubles numbers, and one that doubles and rounds them.
  private func doubles(_ folder: TemporaryFolder) throws -> (a: String, b: String) {
    let (a, b) = (try TinyBundle.double(), try TinyBundle.double("uint8"))
    return (
      try folder.copy(a.path, as: "a.tiobundle"), try folder.copy(b.path, as: "b.tiobundle")
    )
  }

  @Test func `The largest differences come first and equal items are omitted`() throws {
    let a = try TinyBundle.double()
    let (stored, read) = (
      ", \"quantize\": {\"standard\": \"model\"}", ", \"dequantize\": {\"standard\": \"model\"}"
    )
    let b = try TinyBundle(
      "double-uint8", inputs: [TinyBundle.array("x", [4], stored)],
      outputs: [TinyBundle.array("y", [4], read)], quantized: true)
    let lines = try a.folder.write("[1,2,3,4]\n[0,0.4,1.4,0]\n[0.25,0,0,0]\n", to: "lines")
    // The second model rounds to multiples of 0.5.
    let facts = try report([a.path, b.path, "--input-file", lines])
    #expect(isClose([Float(facts["agreement"]?.number ?? 0)], to: [Float(1) / 3], within: 1e-6))
    let items = try #require(facts["largest_differences"]?.array)
    #expect(items.map { $0["input"]?.string } == ["[0.25,0,0,0]", "[0,0.4,1.4,0]"])
    let differences = items.compactMap { $0["max_difference"]?.number }.map(Float.init)
    #expect(isClose(differences, to: [0.5, 0.2], within: 1e-5))
    #expect(items.last?["b"]?["y"]?.string == "0.0000 1.0000 3.0000 0.0000")
    let kept = try report([
      a.path, b.path, "--input-file", lines, "--worst-items", "1", "--tolerance", "0.3",
    ])
    #expect(kept["largest_differences"]?.array?.count == 1)
    #expect(isClose([Float(kept["agreement"]?.number ?? 0)], to: [Float(2) / 3], within: 1e-6))
  }

  @Test func `An item that one model rejects is reported for that model and the other items run`()
    throws
  {
    let folder = try TemporaryFolder()
    let (a, b) = try doubles(folder)
    let words = ["compare", a, b, "[1,2,3,4]", "[1,2,3,400]", "[1]", "--format", "json"]
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == 1)
    let facts = try outcome.json()
    #expect(facts["count"]?.number == 1 && facts["error_count"]?.number == 2)
    let failures = try #require(facts["errors"]?.array)
    #expect(failures.map { $0["model"]?.string } == ["b", "a", "b"])
    #expect(failures.map { $0["code"]?.string } == ["out-of-range", "wrong-count", "wrong-count"])
    #expect(failures[0]["input"]?.string == "[1,2,3,400]")
    #expect(outcome.firstMessageLine.hasPrefix("tensorio: [1,2,3,400]: B: "))
    let only = TestConsole.run(["compare", a, b, "[1]"])
    #expect(only.exitCode == 4 && only.lines.contains("0 of 0 items agree, 1 failed"))
  }

  @Test func `Tables and JSON lines are accepted with and without ground truth`() throws {
    let bundle = try TinyBundle.labeled()
    for (name, text) in [
      ("plain.csv", "x\n\"[1,2,3,4]\"\n\"[4,3,2,1]\"\n"),
      ("answered.csv", "x,label\n\"[1,2,3,4]\",fig\n\"[4,3,2,1]\",apple\n"),
      ("plain.ndjson", "{\"x\":[1,2,3,4]}\n{\"x\":[4,3,2,1]}\n"),
    ] {
      let data = try bundle.folder.write(text, to: name)
      let facts = try report([bundle.path, bundle.path, data])
      #expect(facts["count"]?.number == 2 && facts["agreement"]?.number == 1, "\(name)")
    }
    let wrong = try bundle.folder.write("z\n1\n", to: "wrong.csv")
    let outcome = TestConsole.run(["compare", bundle.path, bundle.path, wrong])
    #expect(outcome.exitCode == 4 && outcome.firstMessageLine.contains("no layer is named 'z'"))
  }

  @Test func `Inputs and outputs with different names are matched by position`() throws {
    let a = try TinyBundle.double()
    let b = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("left")], outputs: [TinyBundle.array("right")])
    let facts = try report([a.path, b.path, #"{"x":[1,2,3,4]}"#, "[4,3,2,1]"])
    #expect(facts["count"]?.number == 2 && facts["max_difference"]?["y"]?.number == 0)
  }

  @Test func `Models with different layers are rejected with the difference`() throws {
    let double = try TinyBundle.double()
    let outputs = TestConsole.run(["compare", double.path, Example.digits, "[1,2,3,4]"])
    #expect(outputs.exitCode == 3 && outputs.output.isEmpty)
    #expect(
      outputs.firstMessageLine == """
        tensorio: the models' outputs differ: 'y' (array [4]) and 'classification' (array [10])
        """)
    let sum = try TinyBundle.sum()
    let inputs = TestConsole.run(["compare", double.path, sum.path, "[1,2,3,4]"])
    #expect(inputs.exitCode == 3)
    #expect(inputs.firstMessageLine.hasSuffix("the models' inputs differ: 'x' and 'a', 'b'"))
  }

  @Test func `Models with different labels are rejected`() throws {
    let a = try TinyBundle.labeled()
    let b = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")],
      outputs: [TinyBundle.array("y", [4], ", \"labels\": \"labels.txt\"")],
      labels: ["apple", "pear", "plum", "fig"])
    let outcome = TestConsole.run(["compare", a.path, b.path, "[1,2,3,4]", "--format", "json"])
    #expect(outcome.exitCode == 4)
    #expect(try outcome.json()["errors"]?[0]?["code"]?.string == "layer-mismatch")
    #expect(outcome.firstMessageLine.contains("the models' labels differ"))
  }

  @Test func `The results of both models are drawn for the largest differences`() throws {
    let folder = try TemporaryFolder()
    let place = "\(folder.path)/worst"
    let words = [Example.digits, Self.quantized, "--worst-items", "2", "--annotate", place]
    let stems = try #require(try report(words)["largest_differences"]?.array).compactMap {
      $0["input"]?.string.map { URL(filePath: $0).deletingPathExtension().lastPathComponent }
    }
    #expect(stems.count == 2)
    let names = try FileManager.default.contentsOfDirectory(atPath: place)
    #expect(Set(names) == Set(stems.flatMap { ["\($0)-a.png", "\($0)-b.png"] }))
    let picture = try ImageBuffer(contentsOf: "\(place)/\(stems[0])-a.png")
    #expect(picture.width > 8)
  }

  @Test func `An interrupt prints the comparison so far`() throws {
    var console = TestConsole()
    console.interruptAfterPolls = 5
    let outcome = console.run(["compare", Example.digits, Self.quantized, Self.heldOut])
    #expect(outcome.exitCode == 130)
    #expect(outcome.lines.contains { $0.hasSuffix("of 6 items agree") })
    #expect(outcome.messages == "tensorio: interrupted; 6 of 360 items done\n")
  }

  private static let usage =
    "usage: tensorio compare [options] <bundle-a> <bundle-b> [<data> | <input> ...]"

  @Test(arguments: [
    ("", "missing <bundle-a> and <bundle-b>; \(usage)"), ("a", "missing <bundle-b>; \(usage)"),
    ("a b c --input-file d", "--input-file cannot be combined with inputs"),
    ("a b --threads 1,2,3", "--threads takes one number, or two such as 1,4"),
    ("a b --tolerance -1", "--tolerance takes a number of at least 0"),
    ("a b --min-agreement 99", "--min-agreement takes a number from 0 to 1"),
  ])
  func `A usage error is reported in one line`(_ line: String, _ message: String) {
    let outcome = TestConsole.run(["compare"] + line.split(separator: " ").map(String.init))
    #expect(outcome.exitCode == 2 && outcome.messages == "tensorio: \(message)\n")
  }
}

@Suite struct DifferenceTextTests {
  @Test(
    arguments: [
      (0, "0"), (12.34567, "12.346"), (0.5, "0.500000"), (1e-4, "0.000100"), (9.94e-5, "9.9e-5"),
      (9.96e-5, "1.0e-4"), (9.96e-6, "1.0e-5"), (1.5e-30, "1.5e-30"),
      (.leastNonzeroMagnitude, "4.9e-324"), (.infinity, "∞"), (.nan, "NaN"),
    ] as [(Double, String)])
  func `A difference has two significant digits at least`(_ value: Double, _ text: String) {
    #expect(value.differenceText == text)
  }
}
