import TensorIOTestSupport
import Testing

/// Text from bundles and users that the command line prints or parses.
@Suite struct CommandTextTests {
  static let digits = ProjectFiles.path("Examples/Bundles/digits.tiobundle")

  @Test func `Control characters in labels do not reach the terminal`() throws {
    let folder = try TemporaryFolder()
    let bundle = try folder.copy(Self.digits, as: "digits.tiobundle")
    let labels = (0..<10).map { "\u{1B}[31m\($0)\u{7}\n" }.joined()
    try folder.write(labels, to: "digits.tiobundle/assets/labels.txt")
    let outcome = TestConsole.run(["run", bundle, "--format", "text"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("[31m"))
    #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{7}"))
  }

  @Test func `A JSON object is an input, not a file pattern`() throws {
    let pixels = repeatElement("0", count: 32 * 32).joined(separator: ",")
    let outcome = TestConsole.run(["run", Self.digits, "{\"image\": [\(pixels)]}"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
  }

  @Test func `Images with the same name are saved to different files`() throws {
    let folder = try TemporaryFolder()
    let sample = "\(Self.digits)/samples/3-1.png"
    let negative = ProjectFiles.path("Examples/Bundles/negative.tiobundle")
    let names = ["a/x.png", "b/x.png", "a/x-2.png"]
    for name in names {
      try folder.write([], to: "\(name.prefix(1))/empty")
      try folder.copy(sample, as: name)
    }
    let paths = names.map { "\(folder.path)/\($0)" }
    let outcome = TestConsole.run(
      ["run", negative] + paths + ["--save-images", "\(folder.path)/out"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    let saved = try outcome.jsonLines().compactMap { $0["outputs"]?.object?.values.first?["path"] }
    #expect(Set(saved.compactMap(\.string)).count == names.count)
  }
}
