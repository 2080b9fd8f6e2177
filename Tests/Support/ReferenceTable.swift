import Foundation
package import TensorIOBundle
package import Testing

/// A table of keys on a page of the documentation, which is generated from their declarations.
///
/// A page has it between two lines, `<!-- keys: NAME -->` and `<!-- end -->`.
package struct ReferenceTable {
  private let name: String
  private let header: [String]
  private let rows: [[String]]

  /// Creates the table of an object's keys.
  package init<Object>(_ name: String, _ fields: [Field<Object>]) {
    self.init(name, fields.map { ("", Self.cells($0)) }, column: nil)
  }

  /// Creates a table whose rows belong to several objects, which a column names.
  ///
  /// Rows that are equal are listed once, with what `place` returns for the objects that have them.
  package init<Object, Owner>(
    _ name: String, column: String, _ fields: [(owner: Owner, field: Field<Object>)],
    place: ([Owner]) -> String
  ) {
    var rows: [(cells: [String], owners: [Owner])] = []
    for (owner, field) in fields where !field.summary.isEmpty {
      let cells = Self.cells(field)
      if let index = rows.firstIndex(where: { $0.cells == cells }) {
        rows[index].owners.append(owner)
      } else {
        rows.append((cells, [owner]))
      }
    }
    self.init(name, rows.map { (place($0.owners), $0.cells) }, column: column)
  }

  private init(_ name: String, _ rows: [(place: String, cells: [String])], column: String?) {
    self.name = name
    let places = column.map { [$0] } ?? []
    header = ["key"] + places + ["meaning", "default", "example", "diagnostics"]
    self.rows = rows.filter { !$0.cells.isEmpty }.map { place, cells in
      [cells[0]] + (column == nil ? [] : [place]) + cells.dropFirst()
    }
  }

  private static func cells<Object>(_ field: Field<Object>) -> [String] {
    guard !field.summary.isEmpty else { return [] }
    let reference = field.reference
    var meaning = field.summary
    if !reference.rule.isEmpty {
      meaning =
        "\(meaning.hasSuffix(".") ? String(meaning.dropLast()) : meaning): \(reference.rule)."
    }
    var codes = reference.codes.map(\.rawValue)
    if field.isRequired { codes.insert("missing-key", at: 0) }
    if field.isMisplacedElsewhere { codes.append("misplaced-key") }
    let known = codes.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return [
      "`\(field.key)`", meaning, field.absence, reference.example.map { "`\($0)`" } ?? "",
      known.map { "`\($0)`" }.joined(separator: ", "),
    ]
  }

  private var text: String {
    let lines = [header, header.map { _ in "---" }] + rows
    return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  /// Compares the tables of a page with the declarations, or writes them if `TENSORIO_RECORD` is set.
  package static func expect(
    _ tables: [ReferenceTable], in page: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = URL(filePath: ProjectFiles.path("Documentation/\(page)"))
    let text = try String(contentsOf: file, encoding: .utf8)
    var expected = text
    for table in tables {
      let start = "<!-- keys: \(table.name) -->\n"
      let parts = expected.components(separatedBy: start)
      try #require(
        parts.count == 2, "\(page) has one table \(table.name)", sourceLocation: sourceLocation)
      let end = try #require(parts[1].range(of: "<!-- end -->"), sourceLocation: sourceLocation)
      expected = parts[0] + start + "\n" + table.text + "\n\n" + parts[1][end.lowerBound...]
    }
    if ProcessInfo.processInfo.environment["TENSORIO_RECORD"] != nil {
      return try expected.write(to: file, atomically: true, encoding: .utf8)
    }
    let isCurrent = expected == text
    #expect(
      isCurrent, "the tables of \(page) are stale: run the test with TENSORIO_RECORD=1",
      sourceLocation: sourceLocation)
  }
}
