import TensorIOTestSupport
import Testing

@Suite struct HelpTests {
  static let commands = [
    "run", "generate", "chat", "stream", "train", "evaluate", "compare", "benchmark", "gallery",
    "inspect", "validate",
    "init", "swift", "serve", "studio", "pack", "unpack", "sign", "verify", "keys", "models",
    "datasets",
    "label", "doctor", "runtime", "completions",
  ]

  @Test func `The overview lists all commands`() throws {
    let outcome = TestConsole.run(["--help"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output, toBe: "help.txt")
    for command in Self.commands { #expect(outcome.output.contains("\n  \(command) ")) }
  }

  @Test(arguments: commands)
  func `Every command has a help page with examples`(_ command: String) throws {
    let outcome = TestConsole.run([command, "--help"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    try Golden.expect(outcome.output, toBe: "help-\(command).txt")
    let examples = outcome.output.split(separator: "examples:\n").last ?? ""
    #expect(examples.contains("  tensorio \(command)"))
    for line in outcome.lines { #expect(line.count <= 100, "\(line)") }
  }

  @Test(arguments: [
    (["-h"], "help.txt"), (["help"], "help.txt"), (["help", "run"], "help-run.txt"),
    (["help", "predict"], "help-run.txt"), (["predict", "--help"], "help-run.txt"),
    (["run", "-h"], "help-run.txt"), (["run", "x", "--top", "1", "--help"], "help-run.txt"),
  ])
  func `Help can be requested in several ways`(_ words: [String], _ page: String) throws {
    try Golden.expect(TestConsole.run(words).output, toBe: page)
  }

  @Test(arguments: [
    ["models", "list", "--format", "--help"], ["run", "x", "--top", "-h"],
    ["init", "x.tflite", "-o", "--help"], ["run", "--", "--help"],
  ])
  func `Help is not printed for option values and positional arguments`(_ words: [String]) {
    let outcome = TestConsole.run(words)
    #expect(outcome.exitCode != 0 && outcome.output.isEmpty, "\(outcome)")
  }

  @Test func `The version is printed on one line`() {
    let outcome = TestConsole.run(["--version"])
    #expect(outcome.exitCode == 0 && outcome.messages.isEmpty)
    #expect(outcome.output.wholeMatch(of: #/tensorio \d+\.\d+\.\d+\n/#) != nil)
  }

  @Test func `Help is printed as a message if there are no arguments`() throws {
    let outcome = TestConsole.run([])
    #expect(outcome.exitCode == 2 && outcome.output.isEmpty)
    try Golden.expect(outcome.messages, toBe: "help.txt")
  }
}
