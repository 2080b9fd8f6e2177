import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Verifies that the documents list all commands and rules.
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

  @Test
  func `README.md and CONTRIBUTING.md have a row for every rule of the Makefile, and no other`()
    throws
  {
    let makefile = try Self.text(of: "Makefile")
    let rules = makefile.matches(of: #/^(?<name>[a-z0-9-]+):.* ## /#.anchorsMatchLineEndings())
      .map { String($0.name) }
    let rows = try ["README.md", "CONTRIBUTING.md"].flatMap {
      try Self.firstCells(of: Self.text(of: $0))
    }
    let documented = rows.flatMap { $0.matches(of: #/`make (?<name>[a-z0-9-]+)/#) }
      .map { String($0.name) }
    #expect(rules.count > 15)
    #expect(Set(documented) == Set(rules.filter { $0 != "help" }))
  }
}
