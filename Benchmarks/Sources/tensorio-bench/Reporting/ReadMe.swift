import Foundation

/// The document that keeps what was measured last.
struct ReadMe {
  let path: String

  private static let begin = "<!-- table: begin -->\n"
  private static let end = "\n<!-- table: end -->"

  /// Puts rows in the place of older ones; those of jobs that were not measured stay.
  func save(_ report: Report) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: Self.begin), let end = text.range(of: Self.end),
      begin.upperBound <= end.lowerBound
    else { throw BenchError.unreadable(program: path) }
    let old = SavedTable(text[begin.upperBound..<end.lowerBound])
    let new = text[..<begin.upperBound] + report.markdown(over: old) + text[end.lowerBound...]
    try String(new).write(toFile: path, atomically: true, encoding: .utf8)
  }
}

/// A table as the document keeps it.
struct SavedTable {
  /// How its rows were measured, a line for every run of the program.
  var runs: [String] = []
  /// The cells of its rows.
  var rows: [[String]] = []

  init(_ text: Substring) {
    let lines = text.split(separator: "\n")
    runs = lines.filter { $0.hasPrefix("- `") }.map { String($0.dropFirst(2)) }
    rows = lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}
