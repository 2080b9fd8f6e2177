import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Verifies that CommandLine.md lists all commands, and CONTRIBUTING.md all rules of the Makefile.
@Suite struct ReadmeTests {
  private static func text(of name: String) throws -> Substring {
    try Substring(String(contentsOfFile: ProjectFiles.path(name), encoding: .utf8))
  }

  /// The first cells of the tables' rows in a text.
  private static func firstCells(of text: Substring) -> [Substring] {
    text.split(separator: "\n").compactMap { line in
      line.hasPrefix("| ")
        ? line.dropFirst(2).firstRange(of: " | ").map { line[..<$0.lowerBound] } : nil
    }
  }

  @Test(arguments: TensorIOCommand.subcommands.map { $0.helpPage.name })
  func `CommandLine.md has a row for every command`(_ name: String) throws {
    let page = try Self.text(of: "Documentation/CommandLine.md")
    let section = try #require(
      page.split(separator: "\n## ").first { $0.hasPrefix("Commands\n") })
    // A cell names one command or several: `tensorio pack BUNDLE`, `unpack FILE.zip`.
    let commands = Self.firstCells(of: section)
      .flatMap { $0.matches(of: #/`(?:tensorio )?(?<name>[a-z]+)[^`]*`/#) }
      .map { String($0.name) }
    #expect(commands.filter { $0 == name }.count == 1, "\(name)")
  }

  /// The rules of the Makefile; the name of a pattern rule contains `%`.
  private static func rules() throws -> Set<String> {
    Set(
      try text(of: "Makefile").matches(
        of: #/^(?<name>[a-z0-9%-]+):.* ## /#.anchorsMatchLineEndings()
      )
      .map { String($0.name) })
  }

  /// The rules that a text names; `NAME` is the `%` of a pattern rule.
  private static func namedRules(in text: some StringProtocol) -> [String] {
    String(text).matches(of: #/`make (?<name>[A-Za-z0-9-]+)/#)
      .map { String($0.name).replacing("NAME", with: "%") }
  }

  @Test func `CONTRIBUTING.md has a row for every rule of the Makefile, and no other`() throws {
    let rules = try Self.rules()
    let rows = try Self.firstCells(of: Self.text(of: "CONTRIBUTING.md")).flatMap {
      Self.namedRules(in: $0)
    }
    #expect(rules.count > 15)
    #expect(Set(rows) == rules.subtracting(["help"]))
    #expect(rows.count == Set(rows).count)
  }

  @Test(arguments: ["README.md", "CONTRIBUTING.md", "SECURITY.md"])
  func `Documents name only rules of the Makefile and checks that exist`(_ name: String) throws {
    let rules = try Self.rules()
    let text = try Self.text(of: name)
    for rule in Self.namedRules(in: text) where !rules.contains(rule) {
      let check = ProjectFiles.path("Scripts/check/\(rule.dropFirst("check-".count))")
      #expect(
        rule.hasPrefix("check-") && FileManager.default.isExecutableFile(atPath: check), "\(rule)")
    }
  }
}
