import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

/// Verifies that README.md and CONTRIBUTING.md list all commands and rules.
@Suite struct ReadmeTests {
  /// The first cells of the tables' rows in a document.
  private static func firstCells(of name: String) throws -> [Substring] {
    let text = try String(contentsOfFile: ProjectFiles.path(name), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      line.hasPrefix("| ")
        ? line.dropFirst(2).firstRange(of: " | ").map { line[..<$0.lowerBound] } : nil
    }
  }

  @Test(arguments: TensorIOCommand.subcommands.map { $0.helpPage.name })
  func `README.md has a row for every command`(_ name: String) throws {
    let rows = try Self.firstCells(of: "README.md")
    #expect(
      rows.contains { $0.contains("`tensorio \(name)") || $0.contains("`\(name) ") }, "\(name)")
  }

  @Test
  func `README.md and CONTRIBUTING.md have a row for every rule of the Makefile, and no other`()
    throws
  {
    let makefile = try String(contentsOfFile: ProjectFiles.path("Makefile"), encoding: .utf8)
    let rules = makefile.matches(of: #/^(?<name>[a-z0-9-]+):.* ## /#.anchorsMatchLineEndings())
      .map { String($0.name) }
    let rows = try Self.firstCells(of: "README.md") + Self.firstCells(of: "CONTRIBUTING.md")
    let documented = rows.flatMap { $0.matches(of: #/`make (?<name>[a-z0-9-]+)/#) }
      .map { String($0.name) }
    #expect(rules.count > 15)
    #expect(Set(documented) == Set(rules.filter { $0 != "help" }))
  }
}
