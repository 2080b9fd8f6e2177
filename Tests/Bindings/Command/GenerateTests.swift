import TensorIOJSON
import TensorIOTestSupport
import Testing

/// Commands that write text, with the decoders of `GenerationTests`.
@Suite(.ownThreads) struct GenerateTests {
  private static let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle")

  @Test func `JSON has the text, its tokens and why it ends`() throws {
    let result = TestConsole.run(
      ["generate", Self.bundle, "Hello", "--raw", "--max-tokens", "40", "--format", "json"])
    try #require(result.exitCode == 0, "\(result.messages)")
    let record = try JSONTree(result.output)
    let golden = try JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    #expect(
      record["tokens"]?.array?.compactMap(\.number)
        == golden["growing"]?.array?.first?["ids"]?.array?.compactMap(\.number))
    #expect(record["end"]?.string == "length")
    #expect(record["prompt_tokens"]?.number == 5)
  }

  @Test(arguments: [
    ("decoder-growing", "Hello", "text"),
    ("speech", "Tests/Fixtures/Audio/micro-features.wav", "transcript"),
  ])
  func `What is written is printed once by run, with raw outputs as well`(
    bundle: String, input: String, key: String
  ) throws {
    let given = input.hasSuffix(".wav") ? ProjectFiles.path(input) : input
    for words in [[], ["--raw-outputs"]] {
      let words =
        ["run", ProjectFiles.path("Tests/Fixtures/Bundles/\(bundle).tiobundle"), given] + words
      let result = TestConsole.run(words + ["--format", "json"])
      try #require(result.exitCode == 0, "\(result)")
      // A key twice is an error.
      _ = try JSONDocument(parsing: Array(result.output.utf8))
      #expect(try JSONTree(result.output)["outputs"]?.object?.keys.sorted() == [key])
      let lines = TestConsole.run(words + ["--format", "text"]).lines
      #expect(lines.count { $0 == "  \(key)" || $0.hasPrefix("  \(key):") } == 1, "\(lines)")
    }
  }

  @Test func `A prompt from standard input has the text of an argument`() {
    var console = TestConsole()
    console.input = Array("Hello\n".utf8)
    let words = ["generate", Self.bundle, "--raw", "--max-tokens", "9"]
    let piped = console.run(words)
    #expect(piped.exitCode == 0)
    #expect(piped.output == TestConsole.run(words + ["Hello"]).output)
  }

  @Test func `A terminal gets no control characters of a model`() {
    var console = TestConsole()
    console.isTerminal = true
    let result = console.run(["generate", Self.bundle, "Hello", "--raw", "--max-tokens", "20"])
    #expect(result.exitCode == 0)
    #expect(result.output.contains("<U+0005>"))
    #expect(!result.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }

  @Test func `A chat answers each line, goes on after an error, and begins anew`() {
    var console = TestConsole()
    console.input = Array("a\n</s>\n\nb\n/new\na\n".utf8)
    let result = console.run(["chat", Self.bundle, "--max-tokens", "3"])
    #expect(result.exitCode == 0, "\(result.messages)")
    #expect(result.messages.contains("special token '</s>'"))
    let speeds = result.messages.split(separator: "\n").filter { $0.contains("generated: ") }
    #expect(speeds.count == 3)
    #expect(speeds[1].contains(" cached"))
    #expect(!speeds[2].contains(" cached"))
  }

  @Test func `A chat ends at its command`() {
    var console = TestConsole()
    console.input = Array("a\n/quit\nb\n".utf8)
    let result = console.run(["chat", Self.bundle, "--max-tokens", "3"])
    #expect(result.exitCode == 0, "\(result.messages)")
    #expect(result.messages.split(separator: "\n").filter { $0.contains("generated: ") }.count == 1)
  }

  @Test func `An interrupt ends the answer, which stays in the conversation`() {
    var console = TestConsole()
    console.input = Array("a\nb\n".utf8)
    console.interruptAfterPolls = 2
    let result = console.run(["chat", Self.bundle, "--max-tokens", "9"])
    #expect(result.exitCode == 0, "\(result.messages)")
    let speeds = result.messages.split(separator: "\n").filter { $0.contains("generated: ") }
    #expect(speeds.count == 2)
    #expect(speeds.first?.contains("generated: 2") == true)
    #expect(speeds.last?.contains("generated: 0") == true)
  }

  @Test func `Texts can be constrained by a pattern, a schema and JSON`() throws {
    let folder = try TemporaryFolder()
    let schema = try folder.write(
      #"{"properties": {"a": {"type": "boolean"}}, "required": ["a"]}"#, to: "schema.json")
    let words = ["generate", Self.bundle, "Hello", "--raw"]
    let matched = TestConsole.run(words + ["--pattern", "x[yz]"])
    #expect(["xy\n", "xz\n"].contains(matched.output), "\(matched.messages)")
    let value = try JSONTree(TestConsole.run(words + ["--json-schema", schema]).output)
    #expect(value["a"]?.bool != nil)
    #expect(TestConsole.run(words + ["--json", "--max-tokens", "1"]).output.hasPrefix("{"))
    let wrong = TestConsole.run(words + ["--pattern", "x("])
    #expect(wrong.exitCode != 0 && wrong.messages.contains("byte 2"), "\(wrong.messages)")
    let missing = TestConsole.run(words + ["--json-schema", schema + "x"])
    #expect(missing.exitCode != 0 && missing.messages.contains("schema.jsonx"))
    #expect(TestConsole.run(words + ["--json", "--pattern", "x"]).exitCode == 2)
  }

  @Test(arguments: [
    ["generate"], ["generate", bundle, "a", "b"],
    ["generate", bundle, "a", "--raw", "--system", "x"],
    ["chat"], ["chat", bundle, "a"], ["generate", bundle, "a", "--top-k", "x"],
  ])
  func `Wrong usage is an error of usage`(_ words: [String]) {
    #expect(TestConsole.run(words).exitCode == 2)
  }

  @Test(arguments: [
    ("--temperature", "-1", "a number of at least 0"), ("--top-p", "2", "a number from 0 to 1"),
    ("--max-tokens", "0", "an integer of at least 1"), ("--beams", "1.5", "an integer"),
    ("--seed", "nan", "an integer"),
    ("--no-repeat-ngram-size", "-1", "an integer from 0 to 1048576"),
  ])
  func `A value that a setting does not allow is named`(
    _ flag: String, _ value: String, _ expected: String
  ) {
    let outcome = TestConsole.run(["generate", Self.bundle, "a", flag, value])
    #expect(outcome.exitCode == 2)
    let message = outcome.firstMessageLine
    #expect(
      message.hasPrefix("tensorio: \(flag) takes \(expected)")
        && message.hasSuffix("got '\(value)'"),
      "\(message)")
  }

  @Test func `A value out of range, and a bundle that writes no text, are errors`() {
    let negative = TestConsole.run(["generate", Self.bundle, "a", "--top-p", "2"])
    #expect(
      negative.exitCode != 0 && negative.messages.contains("--top-p takes"), "\(negative.messages)")
    let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    let other = TestConsole.run(["generate", digits, "a"])
    #expect(other.exitCode != 0 && other.messages.contains("generation"), "\(other.messages)")
  }
}
