import TensorIOTestSupport
import Testing

@Suite struct HelpTests {
  static let verbs = [
    "run", "stream", "train", "evaluate", "compare", "benchmark", "gallery", "inspect", "validate",
    "init", "serve", "studio", "pack", "unpack", "sign", "verify", "keys", "models", "datasets",
    "label", "doctor", "runtime", "completions",
  ]

  @Test func `the overview names all verbs`() throws {
    let outcome = TestConsole.run(["--help"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output, toBe: "help.txt")
    for verb in Self.verbs { #expect(outcome.output.contains("\n  \(verb) ")) }
  }

  @Test(arguments: verbs)
  func `a verb has a page with examples`(_ verb: String) throws {
    let outcome = TestConsole.run([verb, "--help"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output, toBe: "help-\(verb).txt")
    let examples = outcome.output.split(separator: "examples:\n").last ?? ""
    #expect(examples.contains("  tensorio \(verb)"))
    for line in outcome.lines { #expect(line.count <= 100, "\(line)") }
  }

  @Test(arguments: [
    (["-h"], "help.txt"), (["help"], "help.txt"), (["help", "run"], "help-run.txt"),
    (["help", "predict"], "help-run.txt"), (["predict", "--help"], "help-run.txt"),
    (["run", "-h"], "help-run.txt"), (["run", "x", "--top", "1", "--help"], "help-run.txt"),
  ])
  func `there are several ways to ask for help`(_ words: [String], _ page: String) throws {
    try Golden.expect(TestConsole.run(words).output, toBe: page)
  }

  @Test func `the version is one line`() {
    let outcome = TestConsole.run(["--version"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    #expect(outcome.output.wholeMatch(of: #/tensorio \d+\.\d+\.\d+\n/#) != nil)
  }

  @Test func `without words, help goes to the messages`() throws {
    let outcome = TestConsole.run([])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    try Golden.expect(outcome.messages, toBe: "help.txt")
  }
}
