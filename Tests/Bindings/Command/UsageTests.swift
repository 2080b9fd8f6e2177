import Foundation
import TensorIOTestSupport
import Testing

/// Usage errors and their messages.
@Suite struct UsageTests {
  @Test(arguments: [
    ("rnu", "unknown command 'rnu'; did you mean 'run'?"),
    ("valdiate x", "unknown command 'valdiate'; did you mean 'validate'?"),
    ("frobnicate", "unknown command 'frobnicate'; see `tensorio --help`"),
    ("help rnu", "unknown command 'rnu'; did you mean 'run'?"),
    ("run", "missing <bundle>; usage: tensorio run [options] <bundle> [<input> ...]"),
    ("inspect", "missing <bundle>; usage: tensorio inspect [options] <bundle>|<chain>"),
    ("inspect a b", "too many arguments; usage: tensorio inspect [options] <bundle>|<chain>"),
    (
      "validate",
      "missing <bundle>; usage: tensorio validate [options] <bundle>|<chain>|<model.json>"
    ),
    ("evaluate", "missing <bundle> and <data>; see `tensorio evaluate --help`"),
    ("evaluate x", "missing <data>; see `tensorio evaluate --help`"),
    (
      "compare x",
      "missing <bundle-b>; usage: tensorio compare [options] <bundle-a> <bundle-b> [<data> | <input> ...]"
    ),
    ("doctor x", "too many arguments; usage: tensorio doctor [options]"),
    (
      "runtime", "missing action: expected install, list or where; see `tensorio runtime --help`"
    ),
    (
      "runtime lsit", "unknown action 'lsit': expected install, list or where; did you mean 'list'?"
    ),
    ("runtime where", "wrong number of arguments; usage: tensorio runtime where [options] <name>"),
    (
      "models imprt",
      "unknown action 'imprt': expected list, show, import, pull, remove or default; did you mean 'import'?"
    ),
    (
      "models import",
      "wrong number of arguments; usage: tensorio models import [options] <folder>|<zip>|<url>"
    ),
    (
      "gallery recognze x",
      """
      unknown action 'recognze': expected enroll, recognize, verify, list or remove; \
      did you mean 'recognize'?
      """
    ),
    (
      "datasets splt x y",
      """
      unknown action 'splt': expected list, show, import, split, export or remove; \
      did you mean 'split'?
      """
    ),
    (
      "keys revoke x",
      "unknown action 'revoke': expected generate, list, trust or remove; did you mean 'remove'?"
    ),
    (
      "runtime install litret",
      "unknown runtime 'litret': expected litert or litert-gpu or tensorflow or onnx; did you mean 'litert'?"
    ),
    ("completions", "expected one shell; usage: tensorio completions bash | zsh | fish"),
    ("run x --tpo 1", "unknown option '--tpo'; did you mean '--top'?"),
    ("run x --nonsense", "unknown option '--nonsense'"),
    ("run x -v", "unknown option '-v'; long options begin with two dashes, `--` ends options"),
    ("run x --top", "--top requires a value: --top N"),
    ("run x --top 0", "--top takes an integer from 1 up, got '0'"),
    ("run x --top=many", "--top takes an integer from 1 up, got 'many'"),
    ("run x --score-above high", "--score-above takes a number, got 'high'"),
    ("run x --score-above nan", "--score-above takes a number, got 'nan'"),
    ("run x --threads 0", "--threads takes an integer from 1 to 1024, got '0'"),
    ("run x --quiet=yes", "--quiet takes no value"),
    (
      "run x --format jsno",
      "--format takes one of text, json, ndjson, csv, got 'jsno'; did you mean 'json'?"
    ),
    ("inspect x --format csv", "--format takes one of text, json, got 'csv'"),
    (
      "run x --fit strech",
      "--fit takes one of crop, stretch, letterbox, got 'strech'; did you mean 'stretch'?"
    ),
    (
      "run x --orientation sideways",
      "--orientation takes 1 to 8, or a name such as right-mirrored, got 'sideways'"
    ),
    ("run x y --input-file z", "--input-file cannot be combined with inputs"),
    (
      "run x rows.parquet",
      "rows.parquet: Parquet and Arrow files are read by the Python package: "
        + "python -m tensorio.batch x rows.parquet --output results.parquet"
    ),
    (
      "run x --input-file ROWS.Arrow",
      "ROWS.Arrow: Parquet and Arrow files are read by the Python package: "
        + "python -m tensorio.batch x ROWS.Arrow --output results.parquet"
    ),
  ])
  func `A usage error is reported in one line`(_ line: String, _ message: String) {
    let outcome = TestConsole.run(line.split(separator: " ").map(String.init))
    #expect(outcome.exitCode == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.messages == "tensorio: \(message)\n")
  }

  @Test func `An option that does not apply to a model is rejected before it runs`() throws {
    let bundle = try TinyBundle.double()
    let target = "\(bundle.folder.path)/new"
    for (flag, message) in [
      ("--annotate", "--annotate requires a model with an image input"),
      (
        "--save-images",
        "--save-images requires a model with an image output"
      ),
    ] {
      let outcome = bundle.run(["[1,2,3,4]", flag, target])
      #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
      #expect(outcome.messages == "tensorio: \(message)\n")
    }
    #expect(bundle.folder.entries == ["test.tiobundle"])
  }

  @Test(arguments: ["inspect", "run", "validate"])
  func `A similar path is suggested for a missing bundle`(_ command: String) throws {
    let bundle = try TinyBundle.double()
    let folder = bundle.folder.path
    for name in ["tset.tiobundle", "test", "test.tiobundle.zip"] {
      let outcome = TestConsole.run([command, "\(folder)/\(name)"])
      #expect(outcome.exitCode == 3, "\(outcome)")
      #expect(
        (outcome.output + outcome.messages).contains("did you mean '\(folder)/test.tiobundle'?"),
        "\(outcome)")
    }
    let other = TestConsole.run([command, "\(folder)/elsewhere.tiobundle"])
    #expect(!(other.output + other.messages).contains("did you mean"), "\(other)")
  }

  @Test func `A missing bundle is not described as a missing folder`() {
    let outcome = TestConsole.run(["validate", "nowhere.tiobundle"])
    #expect(
      outcome.lines.first
        == "error: nowhere.tiobundle does not exist "
        + "(expected the folder of a bundle, its zip file or a model.json)")
  }

  @Test func `A bundle without details has no empty line for them`() throws {
    let bundle = try TinyBundle.double()
    let path = "\(bundle.path)/model.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try bundle.folder.write(
      text.replacing("For tests", with: ""), to: "test.tiobundle/model.json")
    let lines = bundle.run([], command: "inspect").output.split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "Test" && lines[1].isEmpty && lines[2].contains("id"), "\(lines)")
  }

  @Test func `A duplicate input name is rejected`() throws {
    let outcome = try TinyBundle.sum().run(["a=[1,2,3,4]", "a=[1,2,3,4]"])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine == "tensorio: input 'a' is given twice")
  }

  @Test func `A bundle without samples requires inputs`() throws {
    let bundle = try TinyBundle.double()
    let outcome = bundle.run([])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    #expect(
      outcome.firstMessageLine.hasPrefix("tensorio: missing <input>: the bundle has no samples"))
    #expect(outcome.firstMessageLine.contains("tensorio inspect \(bundle.path)"))
  }
}
