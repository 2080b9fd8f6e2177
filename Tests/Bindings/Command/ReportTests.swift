import Foundation
import TensorIOTestSupport
import Testing

/// The commands that report: inspect, validate, doctor, runtime, completions.
@Suite struct ReportTests {
  @Test(arguments: ["text", "json"])
  func `Inspect shows declared and actual tensors`(_ format: String) throws {
    let bundle = try TinyBundle.negative()
    let outcome = bundle.run(["--format", format], command: "inspect")
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output.masked(bundle.folder), toBe: "inspect-\(format).txt")
  }

  @Test func `Inspect prints the documented JSON fields`() throws {
    let report = try TestConsole.run(["inspect", Example.digits, "--format", "json"]).json()
    #expect(
      report.object?.keys.sorted() == [
        "custom_operators", "diagnostics", "inputs", "model", "outputs", "signatures",
      ])
    let input = try #require(report["inputs"]?[0])
    #expect(input.object?.keys.sorted() == ["actual", "declared"])
    #expect(input["declared"]?["type"]?.string == "image")
    #expect(input["actual"]?["shape"]?.numbers == [1, 32, 32, 1])
    #expect(report["model"]?["id"]?.string == "digits")
    #expect(report["model"]?["backend"]?.string == "tflite")
    #expect(report["diagnostics"]?.array == [])
  }

  @Test(arguments: ["double", "sum", "negative", "digits", "diabetes"])
  func `The example command of inspect succeeds`(_ name: String) throws {
    let bundle: TinyBundle? =
      switch name {
      case "double": try .double()
      case "sum": try .sum()
      case "negative": try .negative()
      default: nil
      }
    let path = bundle?.path ?? (name == "digits" ? Example.digits : Example.diabetes)
    let last = try #require(TestConsole.run(["inspect", path]).lines.last)
    #expect(last.hasPrefix("  tensorio run \(path)"))
    let words = last.split(separator: " ").dropFirst().map { String($0.replacing("'", with: "")) }
      .map { $0 == "image.png" ? Example.temple : $0 }
    #expect(TestConsole.run(words).exitCode == 0, "\(last)")
  }

  @Test func `Inspect shows a model that does not match its description`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x", [5])], outputs: [TinyBundle.array("y")])
    let outcome = bundle.run(["--format", "json"], command: "inspect")
    let report = try outcome.json()
    #expect(report["inputs"]?[0]?["declared"]?["shape"]?.numbers == [5])
    #expect(report["inputs"]?[0]?["actual"]?["shape"]?.numbers == [4])
    #expect(report["diagnostics"]?[0]?["code"]?.string == "tensor-shape")
    #expect(!bundle.run([], command: "inspect").output.contains("try it"))
  }

  @Test func `Inspect lists the custom operators of a model that cannot be opened`() throws {
    let bundle = try TinyBundle(
      "unknown-operator", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")])
    let text = bundle.run([], command: "inspect")
    #expect(text.exitCode == 5)
    #expect(
      text.output.contains(
        "custom operators:\n  TensorIOUnknownOperator, version 1   unknown: signatures"))
    let report = try bundle.run(["--format", "json"], command: "inspect").json()
    #expect(
      report["custom_operators"]
        == .array([
          .object([
            "name": .string("TensorIOUnknownOperator"), "version": .number(1),
            "origin": .string("unknown"),
          ])
        ]))
    #expect(!TestConsole.run(["inspect", Example.digits]).output.contains("custom operators"))
  }

  @Test func `Doctor lists the operators of TensorIO and LiteRT with their versions`() throws {
    let line = try #require(
      TestConsole.run(["doctor"]).lines.first { $0.hasPrefix("ok       custom operators: ") })
    for name in ["PosenetDecoderOp 1", "FlexReluGrad 1"] {
      #expect(line.prefix { $0 != ";" }.contains(name))
    }
    #expect(line.contains("; of LiteRT: ") && line.contains("TFLite_Detection_PostProcess 1"))
  }

  @Test func `Validate lists all diagnostics`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x", [4], ", \"shap\": 1")],
      outputs: [TinyBundle.array("y", [4], ", \"dtype\": \"flaot32\", \"labels\": \"none.txt\"")])
    let outcome = bundle.run(["--format", "json"], command: "validate")
    #expect(outcome.exitCode == 3 && outcome.messages.isEmpty)
    let report = try outcome.json()
    #expect(report["valid"] == .bool(false))
    let diagnostics = report["diagnostics"]?.array ?? []
    let codes = diagnostics.map { $0["code"]?.string ?? "" }
    #expect(codes.sorted() == ["missing-labels-file", "unknown-dtype", "unknown-key"])
    let labels = try #require(diagnostics.first { $0["code"]?.string == "missing-labels-file" })
    #expect(labels["path"]?.string == "/outputs/0/labels")
    #expect(labels["legacy_code"]?.number == 1005)
    #expect(labels["severity"]?.string == "error")
    #expect(labels["line"]?.number != nil && labels["column"]?.number != nil)
  }

  @Test func `Validate reports a valid bundle`() throws {
    let outcome = TestConsole.run(["validate", Example.digits])
    #expect(outcome.output == "\(Example.digits): valid\n")
    let report = try TestConsole.run(["validate", Example.digits, "--format", "json"]).json()
    #expect(report == .object(["valid": .bool(true), "diagnostics": .array([])]))
  }

  @Test func `Validate loads the model`() throws {
    for (model, code) in [
      ("unknown-operator", "model-rejected"), ("removed-operator", "model-rejected"),
    ] {
      let bundle = try TinyBundle(
        model, inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")])
      let outcome = bundle.run(["--format", "json"], command: "validate")
      #expect(outcome.exitCode == 5)
      #expect(try outcome.json()["diagnostics"]?[0]?["code"]?.string == code)
      #expect(try outcome.json()["valid"] == .bool(false))
    }
  }

  @Test func `Validate runs the examples`() throws {
    for (answer, exit) in [("[2, 4, 6, 8]", 0), ("[2, 4, 6, 9]", 3)] as [(String, Int32)] {
      let bundle = try TinyBundle.double()
      try bundle.add(example: #"{"input": [1, 2, 3, 4], "output": {"y": \#(answer)}}"#)
      let outcome = bundle.run(["--format", "json"], command: "validate")
      #expect(outcome.exitCode == exit)
      let diagnostics = try outcome.json()["diagnostics"]
      #expect(diagnostics?.array?.count == (exit == 0 ? 0 : 1))
      #expect(exit == 0 || diagnostics?[0]?["code"]?.string == "example-mismatch")
      #expect(exit == 0 || diagnostics?[0]?["line"]?.number == 6)
    }
  }

  @Test func `The first example runs if there are no inputs`() throws {
    let bundle = try TinyBundle.double()
    try bundle.add(example: #"{"input": {"x": [1, 2, 3, 4]}}"#)
    #expect(try bundle.numbers([]) == [2, 4, 6, 8])
    #expect(try bundle.run([]).json()["input"]?.string == #"{"x":[1,2,3,4]}"#)
    let pictures = try TinyBundle.negative()
    try pictures.add(example: #""samples/white.png""#, key: "input")
    try pictures.folder.copy(Example.temple, as: "test.tiobundle/white.png")
    #expect(try pictures.errorCode([]) == "missing-file")
    try pictures.add(example: #""white.png""#, key: "input")
    let record = try pictures.run([]).json()
    #expect(record["input"]?.string == "\(pictures.path)/white.png")
    #expect(record["outputs"]?["negative"]?["width"]?.number == 8)
  }

  @Test func `Doctor prints the documented JSON fields`() throws {
    let outcome = TestConsole.run(["doctor", "--format", "json"])
    let report = try outcome.json()
    #expect(report.object?.keys.sorted() == ["checks", "ok"])
    let checks = report["checks"]?.array ?? []
    #expect(
      checks.map { $0["name"]?.string } == [
        "LiteRT", "TensorFlow", "ONNX Runtime", "custom operators", "GPU", "processor",
        "data folder", "images", "annotations", "drawing", "signatures", "databases", "gRPC",
        "videos", "Python package", "isolation",
      ])
    for check in checks {
      #expect(check.object?.keys.sorted() == ["fix", "message", "name", "ok", "state"])
      #expect((check["state"]?.string == "missing") == (check["ok"] == .bool(false)))
    }
    #expect(checks[0]["ok"] == .bool(true), "the tests need LiteRT")
    #expect(report["ok"]?.bool == checks.allSatisfy { $0["ok"]?.bool == true })
  }

  @Test func `Doctor says how to install a missing LiteRT`() throws {
    let words = ["doctor", "--litert-library", "/nowhere/libLiteRt.so"]
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == 5)
    #expect(outcome.lines[0].hasPrefix("missing  LiteRT: "))
    #expect(outcome.lines[1] == "         fix: tensorio runtime install litert")
    let report = try TestConsole.run(words + ["--format", "json"]).json()
    #expect(report["ok"] == .bool(false))
    #expect(report["checks"]?[0]?["fix"]?.string == "tensorio runtime install litert")
  }

  @Test func `A documented extension is a warning that strict mode accepts`() throws {
    let bundle = try TinyBundle(
      "double-int8", inputs: [#"{"name": "x", "type": "array", "shape": [4], "dtype": "int8"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [4], "dtype": "int8"}"#])
    let clean = TestConsole.run(["validate", bundle.path, "--strict"])
    #expect(clean.exitCode == 0 && clean.output.contains("warning: "), "\(clean)")
    let misspelled = try TinyBundle(
      "double-int8", inputs: [#"{"name": "x", "type": "array", "shape": [4], "dtype": "int8"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [4], "dtpye": "int8"}"#])
    #expect(TestConsole.run(["validate", misspelled.path]).exitCode == 0)
    #expect(TestConsole.run(["validate", misspelled.path, "--strict"]).exitCode == 1)
  }

  /// How the program was started, and how suggested commands begin.
  static let starts = [
    ("tensorio", "tensorio"), (".build/release/tensorio", ".build/release/tensorio"),
    ("/opt/my tools/tensorio", "'/opt/my tools/tensorio'"),
  ]

  @Test(arguments: starts)
  func `Suggested commands begin with the name of the running program`(start: String, word: String)
    throws
  {
    var console = TestConsole()
    console.program = start
    let inspection = console.run(["inspect", Example.digits]).lines.last
    #expect(inspection?.hasPrefix("  \(word) run \(Example.digits)") == true)
    let missing = ["--litert-library", "/nowhere/libLiteRt.so"]
    let doctor = console.run(["doctor"] + missing)
    #expect(doctor.lines[1] == "         fix: \(word) runtime install litert")
    let run = console.run(["run", Example.digits] + missing)
    #expect(run.firstMessageLine.hasPrefix("tensorio: "))
    let lines = run.messages.split(separator: "\n")
    #expect(lines.count == 2, "\(run)")
    #expect(lines[0] == "tensorio: LiteRT cannot be loaded: /nowhere/libLiteRt.so: no such file")
    #expect(lines[1].hasPrefix("hint: run `\(word) runtime install litert`; "), "\(run)")
    #expect(console.run(["run"]).firstMessageLine.contains("\(word) run [options]"))
  }

  @Test func `A layer missing in the graph is reported with its location`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(
      ProjectFiles.path("Tests/Fixtures/TensorFlow/signature-keys.tiobundle"), as: "x.tiobundle")
    let text = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try folder.write(
      text.replacing(#""name": "a""#, with: #""name": "grpah_a""#), to: "x.tiobundle/model.json")
    let outcome = TestConsole.run(["validate", path, "--format", "json"])
    let diagnostic = try outcome.json()["diagnostics"]?[0]
    #expect(outcome.exitCode == 3)
    #expect(diagnostic?["code"]?.string == "unknown-tensor")
    #expect(diagnostic?["path"]?.string == "/inputs/0/name" && diagnostic?["line"]?.number != nil)
    #expect(diagnostic?["suggestion"]?.string == "did you mean 'graph_a'?")
  }

  @Test func `Runtimes are listed with their search locations`() throws {
    let list = try TestConsole.run(["runtime", "list", "--format", "json"]).json().array ?? []
    for entry in list {
      #expect(entry.object?.keys.sorted() == ["name", "path", "status", "version"])
    }
    #expect(
      Set(list.compactMap { $0["name"]?.string })
        == ["litert", "litert-gpu", "tensorflow", "onnx"])
    let path = TestConsole.run(["runtime", "where", "litert"]).lines
    let available = list.first {
      $0["name"]?.string == "litert" && $0["status"]?.string == "available"
    }
    #expect(path == [available?["path"]?.string])
  }

  @Test func `The text list marks the library in use and names the origin of each location`() throws
  {
    let lines = TestConsole.run(["runtime", "list"]).lines.filter { $0.hasPrefix("litert ") }
    let path = try #require(TestConsole.run(["runtime", "where", "litert"]).lines.first)
    let used = lines.filter { $0.contains("  in use  ") }
    #expect(used.count == 1 && used[0].contains("\(path) ("), "\(lines)")
    #expect(!lines.contains { $0.contains("missing") })
    #expect(lines.allSatisfy { $0.hasSuffix(")") }, "\(lines)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `Completions are printed for every shell`(_ shell: String) throws {
    let outcome = TestConsole.run(["completions", shell])
    #expect(outcome.exitCode == 0)
    for command in HelpTests.commands { #expect(outcome.output.contains(command)) }
    #expect(outcome.output.contains("annotate"))
  }

  @Test func `Bundles are found by name`() throws {
    var console = TestConsole()
    console.environment["TENSORIO_MODELS"] = "/nowhere:\(ProjectFiles.path("Examples/Bundles"))"
    for name in ["digits", "digits.tiobundle"] {
      #expect(console.run(["validate", name]).exitCode == 0)
      #expect(console.run(["run", name]).exitCode == 0)
    }
    let outcome = console.run(["run", "digit"])
    #expect(outcome.exitCode == 3)
    #expect(outcome.firstMessageLine == "tensorio: no bundle named 'digit'; did you mean 'digits'?")
  }
}
