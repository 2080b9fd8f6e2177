internal import Foundation

/// The document that keeps the last table.
struct ReadMe {
  let path: String

  private static let begin = "<!-- table: begin -->\n"
  private static let end = "\n<!-- table: end -->"

  func replaceTable(with table: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard let begin = text.range(of: Self.begin), let end = text.range(of: Self.end),
      begin.upperBound <= end.lowerBound
    else { throw BenchError.unreadable(program: path) }
    let new = text[..<begin.upperBound] + table + text[end.lowerBound...]
    try String(new).write(toFile: path, atomically: true, encoding: .utf8)
  }
}
