import Foundation
import Synchronization
import TensorIOLibrary
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// How text looks on a terminal.
@Suite struct TerminalTests {
  private static let escape = "\u{1B}["
  /// Model descriptions with an error in a known place.
  private static let misspelled = """
    {
    \t"name": "Double", "details": "", "id": "double", "version": "1", "author": "", "license": "",
    \t"model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
      "inputs": [{"name": "x", "type": "array", "shape": [4]}],
      "outputs": [{"name": "y", "type": "arry", "shape": [4]}]
    }
    """

  private static func console(_ columns: Int, _ environment: [String: String] = [:]) -> TestConsole
  {
    var console = TestConsole()
    (console.isTerminal, console.columns) = (true, columns)
    console.environment = environment
    return console
  }

  private static func width(_ line: String) -> Int {
    line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").displayWidth
  }

  // MARK: Width

  @Test(
    arguments: [60, 80, 120],
    [
      ["--help"], ["run", "--help"], ["models", "--help"], ["models", "import", "--help"],
      ["evaluate", "--help"], ["serve", "--help"], ["inspect", "DIGITS"], ["run", "DIGITS"],
      ["evaluate", "DIGITS", "HELDOUT"], ["benchmark", "DIGITS", "--runs", "2"],
      ["compare", "DIGITS", "DIGITS", "HELDOUT"], ["validate", "DIGITS"],
    ])
  func `Lines fit the terminal`(_ columns: Int, _ words: [String]) throws {
    let folder = try TemporaryFolder()
    try folder.copy(Example.digits, as: "d.tiobundle")
    let words = words.map {
      $0.replacing("DIGITS", with: "\(folder.path)/d.tiobundle")
        .replacing("HELDOUT", with: EvaluateTests.heldOut)
    }
    let outcome = Self.console(columns, ["TENSORIO_HOME": folder.path]).run(words)
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    // A path has no place to break it.
    let broken = outcome.lines.filter { line in
      Self.width(line) > columns
        && line.split(separator: " ").allSatisfy { String($0).displayWidth < columns - 30 }
    }
    #expect(broken.isEmpty, "\(broken)")
    #expect(outcome.output.contains("\u{1B}"))
  }

  @Test func `A line continues below the second column`() {
    let line = "  --name NAME   Name of the bundle, which other commands accept"
    #expect(
      TerminalText.wrapped(line, to: 40) == [
        "  --name NAME   Name of the bundle,",
        "                which other commands",
        "                accept",
      ])
    #expect(TerminalText.wrapped(line, to: 80) == [line])
    let colored = TerminalText(width: 20, isColored: true).lines("a-path-of-a-model: valid")
    #expect(colored == ["a-path-of-a-model:", "  \u{1B}[1;32mvalid\u{1B}[0m"])
    #expect(
      TerminalText.wrapped("one two three four five", to: 20) == ["one two three four", "  five"])
    let path = "/a/long/path/without/any/space/in/it"
    #expect(TerminalText.wrapped(path, to: 20) == [path])
    #expect(TerminalText.wrapped("漢字漢字漢字 漢字漢字漢字", to: 20) == ["漢字漢字漢字", "  漢字漢字漢字"])
  }

  @Test func `A table narrows its widest columns`() {
    let rows = [["a", "/models/one/and/another", "available"], ["bb", "/x", "missing"]]
    #expect(
      ColumnFormatter.lines(rows) == [
        "a   /models/one/and/another  available", "bb  /x                       missing",
      ])
    let narrow = ColumnFormatter.lines(rows, width: 30)
    #expect(narrow.allSatisfy { $0.count <= 30 } && narrow.count == 3, "\(narrow)")
    #expect(narrow[0].hasPrefix("a   /models/one/and") && narrow[0].hasSuffix("available"))
  }

  // MARK: Colors

  @Test func `Colors follow the option, then the environment, then the terminal`() {
    let words = ["validate", Example.digits]
    func isColored(_ console: TestConsole, _ more: [String] = []) -> Bool {
      console.run(words + more).output.contains(Self.escape)
    }
    #expect(!isColored(TestConsole()))
    #expect(isColored(Self.console(80)))
    #expect(!isColored(Self.console(80, ["NO_COLOR": "1"])))
    #expect(isColored(Self.console(80, ["NO_COLOR": ""])))
    #expect(!isColored(Self.console(80, ["TERM": "dumb"])))
    #expect(!isColored(Self.console(80), ["--color", "never"]))
    #expect(isColored(Self.console(80, ["NO_COLOR": "1"]), ["--color=always"]))
    var piped = TestConsole()
    piped.environment = ["FORCE_COLOR": "1"]
    #expect(isColored(piped))
    piped.environment = ["FORCE_COLOR": "1", "NO_COLOR": "1"]
    #expect(!isColored(piped))
    #expect(!isColored(Self.console(80, ["FORCE_COLOR": "0"])))
    #expect(TestConsole.run(words + ["--color", "blue"]).exitCode == 2)
  }

  @Test func `Errors, warnings, verdicts and headings have different colors`() throws {
    let console = Self.console(100)
    let error = console.run(["run", "nowhere", "--color", "always"])
    #expect(error.messages.hasPrefix("\u{1B}[1;31mtensorio:\u{1B}[0m "), "\(error)")
    let help = console.run(["run", "--help"]).output
    #expect(help.contains("\u{1B}[1musage:\u{1B}[0m tensorio run"))
    #expect(help.contains("\n\u{1B}[1moptions:\u{1B}[0m\n"))
    let gates = ["evaluate", Example.digits, EvaluateTests.heldOut, "--gate"]
    #expect(console.run(gates + ["top1>=0.5"]).output.hasPrefix("\u{1B}[1;32mPASSED\u{1B}[0m"))
    #expect(console.run(gates + ["top1>=0.999"]).output.hasPrefix("\u{1B}[1;31mFAILED\u{1B}[0m"))
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let warning = console.run(["validate", bundle.path]).output
    #expect(warning.contains("\u{1B}[1;33mwarning\u{1B}[0m: "))
    #expect(warning.hasSuffix(": \u{1B}[1;32mvalid\u{1B}[0m\n"), "\(warning)")
    let run = console.run(["run", bundle.path, "[1,2,3,4]"])
    #expect(run.messages.hasPrefix("\u{1B}[1;33mtensorio:\u{1B}[0m the bundle has 1 warning"))
  }

  @Test func `Results for programs have no colors`() throws {
    let console = Self.console(60)
    for words in [
      ["evaluate", Example.digits, EvaluateTests.heldOut, "--format", "csv"],
      ["run", Example.digits, "--format", "ndjson", "--color", "always"],
      ["completions", "bash", "--color", "always"],
    ] {
      #expect(!console.run(words).output.contains(Self.escape), "\(words)")
    }
  }

  // MARK: Validate

  @Test func `Validate shows the line with a caret`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.misspelled, to: "model.json")
    let outcome = TestConsole.run(["validate", folder.path + "/model.json"])
    #expect(outcome.exitCode == 3)
    let lines = outcome.lines
    let index = try #require(lines.firstIndex { $0.contains("/outputs/0/type") })
    #expect(lines[index].hasPrefix("error: line 5, column "), "\(lines)")
    #expect(lines[index + 1] == #" 5 |   "outputs": [{"name": "y", "type": "arry", "shape": [4]}]"#)
    let caret = try #require(lines[index + 2].firstIndex(of: "^"))
    #expect(lines[index + 2].hasPrefix("   | "))
    #expect(lines[index + 1][caret...].hasPrefix(#""arry""#), "\(lines)")
  }

  @Test func `An excerpt is shortened around the caret`() throws {
    let text = Array(
      (String(repeating: "a", count: 500) + "B" + String(repeating: "c", count: 500)).utf8)
    let excerpt = try #require(SourceExcerpt(of: text, line: 1, column: 501, width: 60))
    let caret = try #require(Array(excerpt.lines[1]).firstIndex(of: "^"))
    #expect(Array(excerpt.lines[0])[caret] == "B")
    #expect(excerpt.lines.allSatisfy { $0.displayWidth <= 60 })
    #expect(excerpt.lines[0].contains("…a") && excerpt.lines[0].hasSuffix("c…"))
    let wide = try #require(SourceExcerpt(of: Array("\t漢字 x".utf8), line: 1, column: 9))
    #expect(wide.lines == [" 1 |  漢字 x", "   |       ^"])
    #expect(SourceExcerpt(of: text, line: 2, column: 1) == nil)
    #expect(SourceExcerpt(of: text, line: 1, column: 2000) == nil)
    #expect(SourceExcerpt(of: [], line: 1, column: 1)?.lines == [" 1 | ", "   | ^"])
  }

  @Test func `Bundles in zip files and in chains have excerpts`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(Example.digits, as: "d.tiobundle")
    let zip = "\(folder.path)/d.zip"
    #expect(TestConsole.run(["pack", path, "-o", zip]).exitCode == 0)
    let text = try String(contentsOfFile: path + "/model.json", encoding: .utf8)
    #expect(SourceExcerpt.description(at: path) == Array(text.utf8))
    #expect(SourceExcerpt.description(at: zip) == Array(text.utf8))
    #expect(SourceExcerpt.description(at: folder.path + "/nothing") == nil)
  }

  // MARK: Help of actions

  @Test func `Help lists the options of each action`() {
    let all = TestConsole.run(["models", "--help"]).output
    #expect(
      all.contains("\noptions of import and pull:\n") && all.contains("\noptions of default:\n"))
    let action = TestConsole.run(["models", "import", "--help"])
    #expect(action.exitCode == 0)
    #expect(action.output.hasPrefix("tensorio models import - "))
    #expect(action.output.contains("--sha256") && !action.output.contains("--clear"))
    #expect(!action.output.contains("pull downloads a model"))
    #expect(TestConsole.run(["help", "models", "import"]).output == action.output)
    #expect(!TestConsole.run(["keys", "list", "--help"]).output.contains("--no-password"))
  }

  @Test(arguments: [
    (["models", "list", "--clear"], "--clear is an option of default"),
    (["keys", "list", "--no-password"], "--no-password is an option of generate"),
    (
      ["gallery", "list", "--gallery", "x", "--max-distance", "1"],
      "--max-distance is an option of recognize and verify"
    ),
  ])
  func `An option of another action is a warning`(_ words: [String], _ message: String) {
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode != 2)
    #expect(outcome.firstMessageLine == "warning: \(message), and has no effect on list")
    #expect(!TestConsole.run(words + ["--quiet"]).messages.contains("warning"))
  }

  // MARK: Progress

  @Test func `A line that is rewritten never fills the terminal`() {
    let text = Mutex("")
    let console = Console(
      writeOutput: { _ in },
      writeMessage: { bytes in text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
      readInput: { _ in [] }, isOutputTerminal: false, isMessageTerminal: true,
      terminalColumns: { 30 }, environment: { _ in nil })
    console.rewriteProgressLine("a line that is longer than the terminal", short: "a short line")
    console.rewriteProgressLine("a line that is longer than the terminal")
    let lines = text.withLock { $0 }.split(separator: "\u{1B}[K\r")
    #expect(lines[0] == "a short line" && lines[1].count == 29 && lines.count == 2)
  }
}
