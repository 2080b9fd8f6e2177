import Foundation
import TensorIOTestSupport
import Testing

/// Placeholders on the command line, of a runtime that has none: what is said of them shows that
/// they were understood.
@Suite struct PlaceholderFlagTests {
  private static func bundle() throws -> TinyBundle {
    let bundle = try TinyBundle.double()
    let path = "\(bundle.path)/model.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rate = #"{"name": "rate", "type": "scalar", "shape": [1], "value": 0.5}"#
    let listed = text.replacing("\"outputs\":", with: "\"placeholders\": [\(rate)], \"outputs\":")
    try Data(listed.utf8).write(to: URL(filePath: path))
    return bundle
  }

  private static func run(_ words: [String]) throws -> CommandResult {
    let bundle = try bundle()
    return withExtendedLifetime(bundle) { TestConsole.run(["run", bundle.path] + words) }
  }

  @Test(arguments: [
    ["[1,2,3,4]", "--placeholder", "rate=2"], ["[1,2,3,4]", "--placeholder=rate=2"],
    ["[1,2,3,4]", "rate=2"], ["rate=[2]", "x=[1,2,3,4]"], [#"{"x": [1,2,3,4], "rate": 2}"#],
  ])
  func `a placeholder is given by a flag, by name, or in an object`(words: [String]) throws {
    let outcome = try Self.run(words)
    #expect(outcome.messages.contains("layer 'rate': a placeholder in this runtime"))
    #expect(outcome.exitCode == 4 && !outcome.messages.contains("unexpected"))
  }

  @Test func `one that is not given is no error`() throws {
    #expect(try Self.run(["[1,2,3,4]"]).exitCode == 0)
  }

  @Test(arguments: [
    ("rat=2", "there is no placeholder 'rat'; there are 'rate'"), ("rate", "takes name=value"),
    ("rate=fast", "expected a number"),
  ])
  func `what is no placeholder is told`(word: String, message: String) throws {
    let outcome = try Self.run(["[1,2,3,4]", "--placeholder", word])
    #expect(outcome.messages.contains(message) && outcome.exitCode != 0)
  }
}
