import Foundation
import TensorIOTestSupport
import Testing

/// Verifies that the new names in the migration guide exist.
@Suite struct MigrationPageTests {
  struct Row: CustomTestStringConvertible {
    let legacyName: String
    let names: [String]
    var testDescription: String { legacyName }
  }

  static let rows: [Row] = {
    let path = ProjectFiles.path("Documentation/MigratingFromTIO.md")
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 2, !cells[0].hasPrefix("---"), cells[0] != "TensorIO for iOS" else {
        return nil
      }
      let names = cells[1].matches(of: /`([^`]+)`/).map { String($0.output.1) }
      return Row(legacyName: cells[0], names: names)
    }
  }()

  /// All names declared in the library.
  static let declared: Set<String> = {
    let folder = ProjectFiles.path("Sources")
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var names: Set<String> = []
    for file in files where file.hasSuffix(".swift") && !file.contains("/Migration") {
      let text = (try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)) ?? ""
      for found in text.matches(
        of: /(?:struct|class|enum|protocol|func|var|let|case) `?([A-Za-z]+)|(init)[?(]/)
      {
        names.insert(String(found.output.1 ?? found.output.2 ?? ""))
      }
    }
    return names
  }()

  @Test(arguments: rows)
  func `The new names of a legacy name exist`(_ row: Row) {
    #expect(!row.names.isEmpty)
    for name in row.names.flatMap({ $0.split(separator: ".") }) {
      #expect(Self.declared.contains(String(name)), "\(name)")
    }
  }

  @Test func `Every alias in the code is on the page with its new name`() throws {
    let code = try String(
      contentsOfFile: ProjectFiles.path("Sources/Bindings/TensorIO/Migration.swift"),
      encoding: .utf8)
    let aliases = code.matches(
      of: /renamed: "([A-Za-z]+)"\)\s+public typealias (TIO[A-Za-z]+) = ([A-Za-z]+)/)
    #expect(aliases.count > 20 && Self.rows.count > 40)
    #expect(aliases.count == code.matches(of: /@available/).count)
    for alias in aliases {
      #expect(alias.output.1 == alias.output.3)
      let isListed = Self.rows.contains { row in
        row.legacyName.contains("`\(alias.output.2)`") && row.names.contains(String(alias.output.1))
      }
      #expect(isListed, "\(alias.output.2)")
    }
  }
}
