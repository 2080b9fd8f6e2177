import TensorIOTestSupport
import Testing

/// Command lines that make no sense, and what is said about them.
@Suite struct UsageTests {
  @Test(arguments: [
    ("rnu", "there is no verb 'rnu'; did you mean 'run'?"),
    ("valdiate x", "there is no verb 'valdiate'; did you mean 'validate'?"),
    ("frobnicate", "there is no verb 'frobnicate'; see `tensorio --help`"),
    ("help rnu", "there is no verb 'rnu'; did you mean 'run'?"),
    ("run", "name a bundle: tensorio run BUNDLE [INPUTS…] [flags]"),
    ("inspect", "name a bundle: tensorio inspect BUNDLE|CHAIN [flags]"),
    ("inspect a b", "name a bundle: tensorio inspect BUNDLE|CHAIN [flags]"),
    (
      "validate", "name a bundle or a model.json: tensorio validate BUNDLE|CHAIN|model.json [flags]"
    ),
    ("doctor x", "doctor takes no words: tensorio doctor [flags]"),
    ("runtime", "usage: tensorio runtime install NAME | list | where NAME"),
    ("runtime lsit", "usage: tensorio runtime install NAME | list | where NAME"),
    (
      "runtime install litret",
      "no runtime is called 'litret'; known: litert, tensorflow; did you mean 'litert'?"
    ),
    ("completions", "name one shell: bash, zsh, fish"),
    ("run x --tpo 1", "unknown flag '--tpo'; did you mean '--top'?"),
    ("run x --nonsense", "unknown flag '--nonsense'"),
    ("run x -v", "unknown flag '-v'; flags begin with two dashes, and `--` ends them"),
    ("run x --top", "--top needs a value: --top N"),
    ("run x --top 0", "--top takes a whole number from 1 up, got '0'"),
    ("run x --top=many", "--top takes a whole number from 1 up, got 'many'"),
    ("run x --above high", "--above takes a number, got 'high'"),
    ("run x --above nan", "--above takes a number, got 'nan'"),
    ("run x --threads 0", "--threads takes a whole number from 1 to 1024, got '0'"),
    ("run x --quiet=yes", "--quiet takes no value"),
    (
      "run x --format jsno",
      "--format takes text, json, ndjson, csv, got 'jsno'; did you mean 'json'?"
    ),
    ("inspect x --format csv", "--format takes text, json, got 'csv'"),
    (
      "run x --fit strech",
      "--fit takes crop, stretch, letterbox, got 'strech'; did you mean 'stretch'?"
    ),
    (
      "run x --orientation sideways",
      "--orientation takes 1 to 8 or a name such as right-mirrored, got 'sideways'"
    ),
    ("run x y --batch z", "--batch takes the place of inputs"),
  ])
  func `a mistake is told in one line`(_ line: String, _ message: String) {
    let outcome = TestConsole.run(line.split(separator: " ").map(String.init))
    #expect(outcome.exitCode == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.messages == "tensorio: \(message)\n")
  }

  @Test func `what a model cannot do is refused before it runs`() throws {
    let bundle = try TinyBundle.double()
    let target = "\(bundle.folder.path)/new"
    for (flag, message) in [
      ("--annotate", "--annotate draws on the picture that goes in, and this model takes none"),
      ("--save", "--save writes the pictures that come out, and this model gives none"),
    ] {
      let outcome = bundle.run(["[1,2,3,4]", flag, target])
      #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
      #expect(outcome.messages == "tensorio: \(message)\n")
    }
    #expect(bundle.folder.entries == ["test.tiobundle"])
  }

  @Test func `a name that is given twice is refused`() throws {
    let outcome = try TinyBundle.sum().run(["a=[1,2,3,4]", "a=[1,2,3,4]"])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine == "tensorio: 'a' is given twice")
  }

  @Test func `a bundle without samples asks for inputs`() throws {
    let bundle = try TinyBundle.double()
    let outcome = bundle.run([])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    #expect(
      outcome.firstMessageLine.hasPrefix("tensorio: give inputs, since the bundle has no samples"))
    #expect(outcome.firstMessageLine.contains("tensorio inspect \(bundle.path)"))
  }
}
