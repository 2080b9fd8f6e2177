internal import TensorIOCore

extension EvaluationReport {
  /// The width of a terminal that nobody has made wider.
  private static let width = 80
  /// So many failed items are listed; the others are counted.
  private static let shownErrors = 10

  /// The report as people read it on a terminal, 80 letters wide: models beside each other, then
  /// what there is to say of each.
  ///
  /// Labels and names stand in it as they are; whoever prints them takes care of what steers
  /// terminals.
  public var lines: [String] {
    let figures = TextTable(cutting: [""] + names, figureRows).lines(width: Self.width)
    return results.map(\.headline) + [""] + figures
      + zip(names, results).flatMap { name, result in
        let parts = result.details(width: Self.width, errors: Self.shownErrors)
        return results.count > 1 && !parts.isEmpty ? ["", "— \(name) —"] + parts : parts
      }
  }

  private var figureRows: [[String]] {
    figureNames(\.shownFigures).map { name in
      [name] + results.map { $0.shownFigures[name]?.text ?? "" }
    }
  }
}

extension EvaluationResult {
  /// So many classes people want to read about.
  private static let shownClasses = 40
  /// So many ways of taking one class for another.
  private static let shownConfusions = 10

  fileprivate var shownFigures: [Figure] { figures + speed.figures }

  fileprivate var headline: String {
    let failed = errors.isEmpty ? "" : ", \(errors.count) failed"
    return "\(model.path) on \(data): \(count) item\(count == 1 ? "" : "s")\(failed)"
  }

  /// What there is to say of this result alone, each part below an empty line.
  fileprivate func details(width: Int, errors limit: Int) -> [String] {
    [classLines(width), confusionLines(width), stageLines(width), errorLines(limit)]
      .filter { !$0.isEmpty }.flatMap { [""] + $0 }
  }

  private func classLines(_ width: Int) -> [String] {
    guard (1...Self.shownClasses).contains(classes.count) else { return [] }
    let names = classFigureNames
    let rows = classes.map { line in
      [line.label, "\(line.count)"] + names.map { line.figures[$0]?.text ?? "" }
    }
    return TextTable(cutting: ["class", "items"] + names, rows).lines(width: width)
  }

  private func confusionLines(_ width: Int) -> [String] {
    let rows = (confusion?.mostFrequent(Self.shownConfusions) ?? []).map {
      ["\($0.truth) → \($0.found)", "\($0.count)"]
    }
    guard !rows.isEmpty else { return [] }
    return TextTable(cutting: ["taken for another", "items"], rows).lines(width: width)
  }

  private func stageLines(_ width: Int) -> [String] {
    let rows = speed.stages.map { stage in
      [stage.name] + [stage.mean, stage.p50, stage.p90, stage.p99].map { $0.fixed(3) }
    }
    guard !rows.isEmpty else { return [] }
    let titles = ["ms per item", "mean", "p50", "p90", "p99"]
    return TextTable(cutting: titles, rows).lines(width: width)
  }

  private func errorLines(_ limit: Int) -> [String] {
    let shown = errors.prefix(limit).map { "  \($0.name.oneLine): \($0.message.oneLine)" }
    let rest = errors.count - shown.count
    return (shown.isEmpty ? [] : ["failed:"]) + shown + (rest > 0 ? ["  … and \(rest) more"] : [])
  }
}

extension TextTable {
  /// A name is cut off from here on.
  private static let longestName = 32
  /// Other cells are cut off from here on.
  private static let longestCell = 24

  /// A table of what each row's name has, in which nothing is longer than can be read.
  fileprivate init(cutting titles: [String], _ rows: [[String]]) {
    let rows = ([titles] + rows).map { row in
      row.enumerated().map { $1.cut(to: $0 == 0 ? Self.longestName : Self.longestCell).oneLine }
    }
    self.init(rows[0], Array(rows.dropFirst()), words: 1)
  }
}
