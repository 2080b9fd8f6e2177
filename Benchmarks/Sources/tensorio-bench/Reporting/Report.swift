import Foundation

/// All rows, and what one has to know to read them.
struct Report {
  let rows: [Row]
  let rounds: Int
  let disturbed: Int
  let command: String
  let machine = Machine()

  func text(_ format: Arguments.Format) throws -> String {
    switch format {
    case .text: Self.table(rows.map(\.cells), under: conditions, line: Self.padded)
    case .markdown: Self.markdown(rows.map(\.cells), under: conditions)
    case .json: try json()
    }
  }

  /// The table with those rows of an older one that were not measured anew.
  func markdown(over old: SavedTable) -> String {
    let known = Job.all.flatMap { job in job.goals.map { Row.place(of: $0.quantity, of: job) } }
    let cells = rows.map(\.cells)
    let kept = old.rows.filter { row in !cells.contains { $0.prefix(2) == row.prefix(2) } }
    let rows = known.compactMap { place in (cells + kept).first { $0.prefix(2) == place[...] } }
    let runs = kept.isEmpty ? [] : old.runs.filter { !$0.hasPrefix("`\(command)`") }
    return Self.markdown(rows, under: [machine.versions] + runs + [run])
  }

  private static func markdown(_ rows: [[String]], under conditions: [String]) -> String {
    table(rows, under: conditions.map { "- \($0)" } + [""]) { cells, _ in
      "| " + cells.joined(separator: " | ") + " |"
    }
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

  private var conditions: [String] { [machine.versions, run] }

  private var run: String {
    let quiet =
      disturbed == 0
      ? "every job began on an idle machine"
      : "others used the machine when \(disturbed) of the jobs began"
    return "`\(command)`: medians of \(rounds) rounds, ratios round by round; "
      + "\(machine.date), \(machine.processor), \(quiet)"
  }
}

extension Report {
  private static let titles = [
    "job", "compared with", "ours", "peer", "ratio", "goal", "", "agreement",
  ]

  private static func table(
    _ rows: [[String]], under header: [String], line: ([String], _ widths: [Int]) -> String
  ) -> String {
    let widths = titles.indices.map { column in
      ([titles] + rows).map { $0[column].count }.max() ?? 0
    }
    let rule = widths.map { String(repeating: "-", count: max($0, 3)) }
    let lines = ([titles, rule] + rows).map { line($0, widths) }
    return (header + lines).joined(separator: "\n")
  }

  private static func padded(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }.joined(separator: "  ")
  }
}

extension Row {
  /// Returns the cells that identify a row.
  fileprivate static func place(of quantity: Quantity, of job: Job) -> [String] {
    place(quantity, job.title, job.peer)
  }

  private static func place(_ quantity: Quantity, _ job: String, _ peer: String) -> [String] {
    [quantity == .time ? job : "\(job), \(quantity.rawValue)", peer]
  }

  fileprivate var cells: [String] {
    Self.place(quantity, job, against) + [
      quantity.text(ours), peer.map(quantity.text) ?? "–",
      ratio.map { "\($0.significant)×" } ?? "–", goal ?? "–",
      isReached.map { $0 ? "✓" : "✗" } ?? "", agreement ?? "–",
    ]
  }
}
