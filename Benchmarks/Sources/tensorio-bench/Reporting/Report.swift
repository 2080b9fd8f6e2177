internal import Foundation

/// All rows, and what one has to know to read them.
struct Report {
  let rows: [Row]
  let rounds: Int
  let disturbed: Int
  let command: String
  let machine = Machine()

  func text(_ format: Arguments.Format) throws -> String {
    switch format {
    case .text: table(header: conditions, line: Self.padded)
    case .markdown: markdown
    case .json: try json()
    }
  }

  var markdown: String {
    let intro = conditions.map { "- \($0)" } + [""]
    return table(header: intro) { cells, _ in "| " + cells.joined(separator: " | ") + " |" }
  }

  private func json() throws -> String {
    struct Document: Encodable {
      let command: String
      let conditions: [String]
      let rows: [Row]
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let document = Document(command: command, conditions: conditions, rows: rows)
    return String(decoding: try encoder.encode(document), as: UTF8.self)
  }

  private var conditions: [String] {
    let quiet =
      disturbed == 0
      ? "every job began on a quiet machine"
      : "others used the machine when \(disturbed) of the jobs began"
    return [
      "\(machine.date), \(machine.processor), \(quiet)", machine.versions,
      "`\(command)`: medians of \(rounds) rounds, ratios round by round",
    ]
  }
}

extension Report {
  private static let titles = ["job", "against", "ours", "peer", "ratio", "reach", "", "agreement"]

  private func table(
    header: [String], line: ([String], _ widths: [Int]) -> String
  ) -> String {
    let cells = [Self.titles] + rows.map(\.cells)
    let widths = Self.titles.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    let rule = widths.map { String(repeating: "-", count: max($0, 3)) }
    let lines = ([Self.titles, rule] + rows.map(\.cells)).map { line($0, widths) }
    return (header + lines).joined(separator: "\n")
  }

  private static func padded(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }.joined(separator: "  ")
  }
}

extension Row {
  fileprivate var cells: [String] {
    [
      quantity == .time ? job : "\(job), \(quantity.rawValue)",
      against, quantity.text(ours), peer.map(quantity.text) ?? "–",
      ratio.map { "\($0.significant)×" } ?? "–", goal ?? "–",
      isReached.map { $0 ? "✓" : "✗" } ?? "", agreement ?? "–",
    ]
  }
}
