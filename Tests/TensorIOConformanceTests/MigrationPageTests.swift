import Foundation
import TensorIOTestSupport
import Testing

/// The names that lead from the original library to this one exist.
@Suite struct MigrationPageTests {
  struct Row: CustomTestStringConvertible {
    let original: String
    let names: [String]
    var testDescription: String { original }
  }

  static let rows: [Row] = {
    let path = ProjectFiles.path("Documentation/MigratingFromTIO.md")
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count >= 2, !cells[0].hasPrefix("---"), cells[0] != "original" else { return nil }
      let names = cells[1].matches(of: /`([^`]+)`/).map { String($0.output.1) }
      return Row(original: cells[0], names: names)
    }
  }()

  /// All declared names of the library.
  static let declared: Set<String> = {
    let folder = ProjectFiles.path("Sources")
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var names: Set<String> = []
    for file in files where file.hasSuffix(".swift") && !file.hasSuffix("Migration.swift") {
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
  func `the new names of an original one exist`(_ row: Row) {
    #expect(!row.names.isEmpty)
    for name in row.names.flatMap({ $0.split(separator: ".") }) {
      #expect(Self.declared.contains(String(name)), "\(name)")
    }
  }

  @Test func `each breadcrumb of the code stands on the page, with its new name`() throws {
    let code = try String(
      contentsOfFile: ProjectFiles.path("Sources/TensorIO/Migration.swift"), encoding: .utf8)
    let crumbs = code.matches(
      of: /renamed: "([A-Za-z]+)"\)\s+public typealias (TIO[A-Za-z]+) = ([A-Za-z]+)/)
    #expect(crumbs.count > 20 && Self.rows.count > 40)
    #expect(crumbs.count == code.matches(of: /@available/).count)
    for crumb in crumbs {
      #expect(crumb.output.1 == crumb.output.3)
      let isListed = Self.rows.contains { row in
        row.original.contains("`\(crumb.output.2)`") && row.names.contains(String(crumb.output.1))
      }
      #expect(isListed, "\(crumb.output.2)")
    }
  }
}
