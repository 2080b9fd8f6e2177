import TensorIOBundle
import TensorIOCore
import TensorIOData
package import TensorIOJSON

extension DriftReport {
  /// The maximum number of rows without drift in a text.
  private static let maxQuietRows = 20

  /// The verdict in one line.
  ///
  /// - Parameter threshold: The index above which drift is an alert.
  /// - Returns: Whether there is drift, in how many numbers, and where most.
  package func headline(alertingAbove threshold: Double) -> String {
    let drifted = rows.count { $0.level > .none }
    let alerts = alerts(above: threshold)
    let sizes = "\(count) \(count == 1 ? "item" : "items") against \(referenceCount)"
    guard let first = rows.first, drifted > 0 else {
      let chance = rows.contains(where: \.isOnlyChance) ? " beyond chance" : ""
      return "no drift\(chance): \(rows.count) numbers, \(sizes)"
    }
    let prefix = alerts.isEmpty ? "" : "ALERT: "
    let most = first.measure.isEmpty ? first.name : "\(first.name) (\(first.measure))"
    return
      "\(prefix)\(level.rawValue) drift in \(drifted) of \(rows.count) numbers, most in \(most); \(sizes)"
  }

  /// Returns the report as lines for the terminal, the verdict first.
  ///
  /// - Parameters:
  ///   - threshold: The PSI above which a number is an alert.
  ///   - width: The number of columns of the terminal; `nil` for any width.
  /// - Returns: The lines.
  package func lines(alertingAbove threshold: Double, width: Int? = nil) -> [String] {
    let drifted = rows.filter { $0.level > .none }
    let quiet = rows.filter { $0.level == .none }
    let shown = drifted + quiet.prefix(Self.maxQuietRows)
    let hasMissing = shown.contains { $0.missing > 0 || $0.referenceMissing > 0 }
    let titles = ["", "", "drift", "PSI", "KS", "p", "MMD²"] + (hasMissing ? ["missing"] : [])
    let cells = shown.map { row in
      [
        row.name, row.source, row.level.rawValue + (row.isOnlyChance ? " (chance)" : ""),
        row.stability?.formatted(decimals: 3) ?? "", row.distance?.formatted(decimals: 3) ?? "",
        row.probability?.formatted(decimals: 4) ?? "",
        row.discrepancy?.formatted(decimals: 4) ?? "",
      ] + (hasMissing ? [row.missingText] : [])
    }
    var lines = [headline(alertingAbove: threshold)]
    lines += TextTable(titles, cells, leadingTextColumns: 3).lines(width: width)
    if shown.count < rows.count {
      lines.append("  … \(rows.count - shown.count) more without drift")
    }
    if rows.contains(where: \.isOnlyChance) {
      lines.append("chance: one in 20 samples of the same data differs as much; measure more items")
    }
    return lines
  }

  /// Writes the members of the report.
  package func write(alertingAbove threshold: Double, to writer: inout JSONWriter) {
    writer.member("drift", level.rawValue)
    writer.member("alert", threshold)
    writer.strings("alerts", alerts(above: threshold).map(\.name))
    writer.member("items", count)
    writer.member("reference_items", referenceCount)
    writer.member("numbers", objects: rows) { writer, row in
      writer.member("name", row.name)
      writer.member("source", row.source)
      writer.member("drift", row.level.rawValue)
      if let index = row.stability { writer.member("psi", index) }
      if let distance = row.distance { writer.member("ks", distance) }
      if let discrepancy = row.discrepancy { writer.member("mmd2", discrepancy) }
      if let probability = row.probability { writer.member("p", probability) }
      if row.stability != nil {
        writer.member("missing", row.missing)
        writer.member("reference_missing", row.referenceMissing)
      }
      writer.member("chance", row.isChance)
    }
  }

  /// The rows as a table.
  package var csv: [UInt8] {
    var writer = CSVWriter(.display)
    writer.append(row: [
      "name", "source", "drift", "psi", "ks", "mmd2", "p", "missing", "reference_missing", "chance",
    ])
    func text(_ number: Double?) -> String { number.map { "\($0)" } ?? "" }
    for row in rows {
      writer.append(row: [
        row.name, row.source, row.level.rawValue, text(row.stability), text(row.distance),
        text(row.discrepancy), text(row.probability), text(row.missing),
        text(row.referenceMissing), "\(row.isChance)",
      ])
    }
    return writer.bytes
  }
}

extension DriftReport.Row {
  /// Whether an index that would be drift is no larger than chance makes it.
  fileprivate var isOnlyChance: Bool { isChance && stability != nil }

  /// The measure by which the row is judged.
  fileprivate var measure: String {
    if let stability { return "PSI \(stability.formatted(decimals: 3))" }
    return discrepancy.map { "MMD² \($0.formatted(decimals: 4))" } ?? ""
  }

  fileprivate var missingText: String {
    func percent(_ fraction: Double) -> String { "\((fraction * 100).formatted(decimals: 1)) %" }
    return "\(percent(referenceMissing)) → \(percent(missing))"
  }
}
