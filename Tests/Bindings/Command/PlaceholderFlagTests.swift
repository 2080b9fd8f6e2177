import Foundation
import TensorIOTestSupport
import Testing

/// Placeholders on the command line. The runtime does not support them, and its errors show that they
/// were parsed.
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
  func `A placeholder is given by an option, by name or in an object`(words: [String]) throws {
    let outcome = try Self.run(words)
    #expect(outcome.messages.contains("layer 'rate': a placeholder in this runtime"))
    #expect(outcome.exitCode == 4 && !outcome.messages.contains("unexpected"))
  }

  @Test func `A missing placeholder is not an error`() throws {
    #expect(try Self.run(["[1,2,3,4]"]).exitCode == 0)
  }

  @Test(arguments: [
    ("rat=2", "unknown placeholder 'rat'; placeholders: 'rate'"), ("rate", "takes NAME=VALUE"),
    ("rate=fast", "expected a number"),
  ])
  func `An unknown placeholder is reported`(word: String, message: String) throws {
    let outcome = try Self.run(["[1,2,3,4]", "--placeholder", word])
    #expect(outcome.messages.contains(message) && outcome.exitCode != 0)
  }
}
