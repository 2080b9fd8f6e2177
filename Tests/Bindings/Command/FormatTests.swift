import TensorIOTestSupport
import Testing

/// Output formats of results.
@Suite struct FormatTests {
  /// A bundle with labels that a spreadsheet or terminal would interpret.
  private func hostileLabels() throws -> TinyBundle {
    try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")],
      outputs: [TinyBundle.array("y", [4], ", \"labels\": \"labels.txt\"")],
      labels: ["=cmd|' /C calc'!A0", "@SUM(A1)", "\u{1B}[31mred", "a\u{202E}b"])
  }

  @Test func `CSV cells neither run as formulas nor control a terminal`() throws {
    let outcome = try hostileLabels().run(["[4,3,2,1]", "--format", "csv"])
    #expect(
      outcome.lines.dropFirst() == [
        #""[4,3,2,1]",y,0,'=cmd|' /C calc'!A0,8.0"#, #""[4,3,2,1]",y,1,'@SUM(A1),6.0"#,
        #""[4,3,2,1]",y,2,<U+001B>[31mred,4.0"#, #""[4,3,2,1]",y,3,a<U+202E>b,2.0"#,
      ])
  }

  @Test func `Raw CSV cells are unchanged`() throws {
    let outcome = try hostileLabels().run(["[4,3,2,1]", "--format", "csv", "--raw-csv"])
    #expect(outcome.output.contains("y,0,=cmd|' /C calc'!A0,8.0\n"))
    #expect(outcome.output.contains("y,3,a\u{202E}b,2.0\n"))
  }

  @Test func `Negative numbers are not taken for formulas`() throws {
    let lines = try TinyBundle.double().run(["[-1,0,0,0]", "--format", "csv"]).lines
    #expect(lines[1] == #""[-1,0,0,0]",y,0,,-2.0"#)
  }

  @Test(arguments: ["text", "json", "ndjson"])
  func `Direction and control characters are shown on a terminal`(_ format: String) throws {
    var console = TestConsole()
    console.isTerminal = true
    let outcome = try hostileLabels().run(["[4,3,2,1]", "--format", format], on: console)
    #expect(!outcome.output.contains("\u{202E}"))
    #expect(!outcome.output.contains("\u{1B}[31m"))
    #expect(outcome.output.contains(format == "text" ? "a<U+202E>b" : #"a\u202Eb"#))
  }

  static let formats = ["text", "json", "ndjson", "csv"]
  static let scores = "[0.1,0.4,0.25,-0.5]"

  @Test(arguments: formats)
  func `One item is written in every format`(_ format: String) throws {
    let bundle = try TinyBundle.labeled()
    let outcome = bundle.run([Self.scores, "--format", format])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output.masked(), toBe: "one-\(format).txt")
  }

  @Test(arguments: formats)
  func `Several items with one failure are written in every format`(_ format: String) throws {
    let bundle = try TinyBundle.double()
    let words = ["[1,2,3,4]", "[1,\"2\",3]", "[1e38,3e38,-3e38,0.1]"]
    let outcome = bundle.run(words + ["--format", format])
    #expect(outcome.exitCode == 1)
    #expect(outcome.messages.split(separator: "\n").count == 1)
    try Golden.expect(outcome.output.masked(), toBe: "several-\(format).txt")
  }

  @Test(arguments: formats)
  func `The best labels above a score are written in every format`(_ format: String) throws {
    let bundle = try TinyBundle.labeled()
    let flags = ["--top", "2", "--score-above", "0.5", "--format", format]
    try Golden.expect(
      bundle.run([Self.scores] + flags).output.masked(), toBe: "selected-\(format).txt")
  }

  @Test(arguments: formats)
  func `A saved image is written in every format`(_ format: String) throws {
    let bundle = try TinyBundle.negative()
    let folder = "\(bundle.folder.path)/out"
    let outcome = bundle.run([Example.digit("3-1"), "--save-images", folder, "--format", format])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let output = outcome.output.replacing(Example.digit("3-1"), with: "3-1.png")
    try Golden.expect(output.masked(bundle.folder), toBe: "picture-\(format).txt")
  }

  @Test(arguments: formats)
  func `A placeholder is written in every format`(_ format: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      {"name": "Later", "details": "", "id": "later", "version": "1", "author": "",
       "license": "", "placeholder": true,
       "model": {"file": "", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       "inputs": [\(TinyBundle.array("x"))], "outputs": [\(TinyBundle.array("y"))]}
      """, to: "later.tiobundle/model.json")
    let bundle = String(path.dropLast("/model.json".count))
    let outcome = TestConsole.run(["run", bundle, "[1,2,3,4]", "--format", format])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty, "\(outcome)")
    try Golden.expect(outcome.output.masked(), toBe: "placeholder-\(format).txt")
  }

  @Test func `The default format is text on a terminal and ndjson elsewhere`() throws {
    let bundle = try TinyBundle.labeled()
    var terminal = TestConsole()
    terminal.isTerminal = true
    #expect(bundle.run([Self.scores], on: terminal).output.hasPrefix("[0.1,"))
    #expect(bundle.run([Self.scores]).output.hasPrefix("{\"model\""))
    for command in ["inspect", "validate"] {
      #expect(!bundle.run([], command: command).output.hasPrefix("{"))
    }
  }

  @Test func `Colors are used only on a terminal without NO_COLOR`() throws {
    let bundle = try TinyBundle.labeled()
    let words = [Self.scores, "--format", "text"]
    var console = TestConsole()
    #expect(!bundle.run(words, on: console).output.contains("\u{1B}"))
    console.isTerminal = true
    #expect(bundle.run(words, on: console).output.contains("\u{1B}[36m"))
    console.environment = ["NO_COLOR": "1"]
    #expect(!bundle.run(words, on: console).output.contains("\u{1B}"))
  }

  @Test func `Non-finite numbers are null and counted`() throws {
    let bundle = try TinyBundle.double()
    let outcome = bundle.run(["[3e38,-3e38,1,2]", "--format", "json"])
    #expect(outcome.output.contains("\"y\": [null,null,2,4]"), "\(outcome)")
    #expect(try outcome.json()["nonfinite"] == .object(["y": .number(2)]))
    let csv = bundle.run(["[3e38,-3e38,1,2]", "--format", "csv"]).lines
    #expect(csv[1] == "\"[3e38,-3e38,1,2]\",y,0,,")
  }

  @Test func `Quiet mode prints only results and errors`() throws {
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let words = ["[1,2,3,4]", "[1]"]
    #expect(
      bundle.run(words).messages.hasPrefix(
        "tensorio: the bundle has 1 warning; see `tensorio validate "))
    let quiet = bundle.run(words + ["--quiet"])
    #expect(quiet.messages == "tensorio: [1]: layer 'x': expected 4 values, got 1\n")
    #expect(quiet.lines.count == 2)
    var console = TestConsole()
    console.environment = ["TENSORIO_LOG": "error"]
    #expect(bundle.run(words, on: console).messages == quiet.messages)
    console.environment = ["TENSORIO_LOG": "erorr"]
    let rejected = bundle.run(words, on: console)
    #expect(rejected.exitCode == 2)
    #expect(rejected.firstMessageLine.contains("did you mean 'error'?"))
  }
}
