import Foundation
import TensorIOTestSupport
import Testing

/// The verbs that report: inspect, validate, doctor, runtime, completions.
@Suite struct ReportTests {
  @Test(arguments: ["text", "json"])
  func `inspect shows what is declared and what is found`(_ format: String) throws {
    let bundle = try TinyBundle.negative()
    let outcome = bundle.run(["--format", format], verb: "inspect")
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output.masked(bundle.folder), toBe: "inspect-\(format).txt")
  }

  @Test func `inspect has the fields that scripts rely on`() throws {
    let report = try TestConsole.run(["inspect", Example.digits, "--format", "json"]).json()
    #expect(
      report.object?.keys.sorted() == ["inputs", "model", "outputs", "signatures", "warnings"])
    let input = try #require(report["inputs"]?[0])
    #expect(input.object?.keys.sorted() == ["actual", "declared"])
    #expect(input["declared"]?["type"]?.string == "image")
    #expect(input["actual"]?["shape"]?.numbers == [1, 32, 32, 1])
    #expect(report["model"]?["id"]?.string == "digits")
    #expect(report["model"]?["backend"]?.string == "tflite")
    #expect(report["warnings"]?.array == [])
  }

  @Test(arguments: ["double", "sum", "negative", "digits", "diabetes"])
  func `the command that inspect ends with runs`(_ name: String) throws {
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
      .map { $0 == "picture.png" ? Example.temple : $0 }
    #expect(TestConsole.run(words).exitCode == 0, "\(last)")
  }

  @Test func `a model that does not fit its description is shown beside it`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x", [5])], outputs: [TinyBundle.array("y")])
    let outcome = bundle.run(["--format", "json"], verb: "inspect")
    let report = try outcome.json()
    #expect(report["inputs"]?[0]?["declared"]?["shape"]?.numbers == [5])
    #expect(report["inputs"]?[0]?["actual"]?["shape"]?.numbers == [4])
    #expect(report["warnings"]?[0]?["code"]?.string == "tensor-shape")
    #expect(!bundle.run([], verb: "inspect").output.contains("try it"))
  }

  @Test func `validate lists every problem at once`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x", [4], ", \"shap\": 1")],
      outputs: [TinyBundle.array("y", [4], ", \"dtype\": \"flaot32\", \"labels\": \"none.txt\"")])
    let outcome = bundle.run(["--format", "json"], verb: "validate")
    #expect(outcome.exitCode == 3 && outcome.messages.isEmpty)
    let report = try outcome.json()
    #expect(report["valid"] == .bool(false))
    let problems = report["problems"]?.array ?? []
    let codes = problems.map { $0["code"]?.string ?? "" }
    #expect(codes.sorted() == ["missing-labels-file", "unknown-dtype", "unknown-key"])
    let labels = try #require(problems.first { $0["code"]?.string == "missing-labels-file" })
    #expect(labels["path"]?.string == "/outputs/0/labels")
    #expect(labels["original"]?.number == 1005)
    #expect(labels["severity"]?.string == "error")
    #expect(labels["line"]?.number != nil && labels["column"]?.number != nil)
  }

  @Test func `validate says that all is well`() throws {
    let outcome = TestConsole.run(["validate", Example.digits])
    #expect(outcome.output == "\(Example.digits): valid\n")
    let report = try TestConsole.run(["validate", Example.digits, "--format", "json"]).json()
    #expect(report == .object(["valid": .bool(true), "problems": .array([])]))
  }

  @Test func `validate opens the model`() throws {
    for (model, code) in [
      ("unknown-operator", "model-refused"), ("removed-operator", "model-refused"),
    ] {
      let bundle = try TinyBundle(
        model, inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")])
      let outcome = bundle.run(["--format", "json"], verb: "validate")
      #expect(outcome.exitCode == 5)
      #expect(try outcome.json()["problems"]?[0]?["code"]?.string == code)
      #expect(try outcome.json()["valid"] == .bool(false))
    }
  }

  @Test func `validate runs the examples`() throws {
    for (answer, exit) in [("[2, 4, 6, 8]", 0), ("[2, 4, 6, 9]", 3)] as [(String, Int32)] {
      let bundle = try TinyBundle.double()
      try bundle.add(example: #"{"input": [1, 2, 3, 4], "output": {"y": \#(answer)}}"#)
      let outcome = bundle.run(["--format", "json"], verb: "validate")
      #expect(outcome.exitCode == exit)
      let problems = try outcome.json()["problems"]
      #expect(problems?.array?.count == (exit == 0 ? 0 : 1))
      #expect(exit == 0 || problems?[0]?["code"]?.string == "example-mismatch")
      #expect(exit == 0 || problems?[0]?["line"]?.number == 6)
    }
  }

  @Test func `without inputs the first example runs`() throws {
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

  @Test func `doctor has the fields that scripts rely on`() throws {
    let outcome = TestConsole.run(["doctor", "--format", "json"])
    let report = try outcome.json()
    #expect(report.object?.keys.sorted() == ["checks", "ok"])
    let checks = report["checks"]?.array ?? []
    #expect(
      checks.map { $0["name"]?.string } == [
        "LiteRT", "TensorFlow", "processor", "data folder", "pictures", "drawing", "archives",
        "signatures",
        "databases", "videos", "isolation",
      ])
    for check in checks { #expect(check.object?.keys.sorted() == ["fix", "found", "name", "ok"]) }
    #expect(checks[0]["ok"] == .bool(true), "the tests need LiteRT")
    #expect(report["ok"]?.bool == checks.allSatisfy { $0["ok"]?.bool == true })
  }

  @Test func `doctor without LiteRT says how to get it`() throws {
    let words = ["doctor", "--litert-library", "/nowhere/libLiteRt.so"]
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode == 5)
    #expect(outcome.lines[0].hasPrefix("missing  LiteRT: "))
    #expect(outcome.lines[1] == "         fix: tensorio runtime install litert")
    let report = try TestConsole.run(words + ["--format", "json"]).json()
    #expect(report["ok"] == .bool(false))
    #expect(report["checks"]?[0]?["fix"]?.string == "tensorio runtime install litert")
  }

  @Test func `a documented extension is told, and is no fault`() throws {
    let bundle = try TinyBundle(
      "double-int8", inputs: [#"{"name": "x", "type": "array", "shape": [4], "dtype": "int8"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [4], "dtype": "int8"}"#])
    let clean = TestConsole.run(["validate", bundle.path, "--strict"])
    #expect(clean.exitCode == 0 && clean.output.contains("warning: "), "\(clean)")
    let doubtful = try TinyBundle(
      "double-int8", inputs: [#"{"name": "x", "type": "array", "shape": [4], "dtype": "int8"}"#],
      outputs: [#"{"name": "y", "type": "array", "shape": [4], "dtpye": "int8"}"#])
    #expect(TestConsole.run(["validate", doubtful.path]).exitCode == 0)
    #expect(TestConsole.run(["validate", doubtful.path, "--strict"]).exitCode == 1)
  }

  /// How the program was started, and the word that starts it again.
  static let starts = [
    ("tensorio", "tensorio"), (".build/release/tensorio", ".build/release/tensorio"),
    ("/opt/my tools/tensorio", "'/opt/my tools/tensorio'"),
  ]

  @Test(arguments: starts)
  func `commands to try begin with a word that works`(start: String, word: String) throws {
    var console = TestConsole()
    console.program = start
    let inspection = console.run(["inspect", Example.digits]).lines.last
    #expect(inspection?.hasPrefix("  \(word) run \(Example.digits)") == true)
    let missing = ["--litert-library", "/nowhere/libLiteRt.so"]
    let doctor = console.run(["doctor"] + missing)
    #expect(doctor.lines[1] == "         fix: \(word) runtime install litert")
    let run = console.run(["run", Example.digits] + missing)
    #expect(run.firstMessageLine.hasPrefix("tensorio: "))
    #expect(run.firstMessageLine.hasSuffix("Install it: \(word) runtime install litert"))
    #expect(console.run(["run"]).firstMessageLine.contains("\(word) run BUNDLE"))
  }

  @Test func `a layer that the graph does not have is told with its place`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(
      ProjectFiles.path("Tests/Fixtures/TensorFlow/signature-keys.tiobundle"), as: "x.tiobundle")
    let text = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    try folder.write(
      text.replacing(#""name": "a""#, with: #""name": "grpah_a""#), to: "x.tiobundle/model.json")
    let outcome = TestConsole.run(["validate", path, "--format", "json"])
    let problem = try outcome.json()["problems"]?[0]
    #expect(outcome.exitCode == 3)
    #expect(problem?["code"]?.string == "unknown-tensor")
    #expect(problem?["path"]?.string == "/inputs/0/name" && problem?["line"]?.number != nil)
    #expect(problem?["suggestion"]?.string == "did you mean 'graph_a'?")
  }

  @Test func `runtimes are listed with where they are looked for`() throws {
    let list = try TestConsole.run(["runtime", "list", "--format", "json"]).json().array ?? []
    for entry in list {
      #expect(entry.object?.keys.sorted() == ["name", "path", "state", "version"])
    }
    #expect(Set(list.compactMap { $0["name"]?.string }) == ["litert", "tensorflow"])
    let place = TestConsole.run(["runtime", "where", "litert"]).lines
    let works = list.first {
      $0["name"]?.string == "litert" && $0["state"]?.string == "works"
    }
    #expect(place == [works?["path"]?.string])
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completions are text for a shell`(_ shell: String) throws {
    let outcome = TestConsole.run(["completions", shell])
    #expect(outcome.exitCode == 0)
    for verb in HelpTests.verbs { #expect(outcome.output.contains(verb)) }
    #expect(outcome.output.contains("annotate"))
  }

  @Test func `bundles are found by name`() throws {
    var console = TestConsole()
    console.environment["TENSORIO_MODELS"] = "/nowhere:\(ProjectFiles.path("Examples/Bundles"))"
    for name in ["digits", "digits.tiobundle"] {
      #expect(console.run(["validate", name]).exitCode == 0)
      #expect(console.run(["run", name]).exitCode == 0)
    }
    let outcome = console.run(["run", "digit"])
    #expect(outcome.exitCode == 3)
    #expect(outcome.firstMessageLine == "tensorio: no bundle is called 'digit'; did you mean 'digits'?")
  }
}
