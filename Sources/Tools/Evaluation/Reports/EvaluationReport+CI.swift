import TensorIOCore
import TensorIODrawing
import TensorIOSystem

/// Forms of the report for continuous integration.
extension EvaluationReport {
  /// The report as Markdown, for the summary of a job: the verdict, the metrics with their intervals, and what a
  /// decision rests on.
  public var markdown: [UInt8] {
    let title = headlines.first ?? "Evaluation of \(displayNames.joined(separator: ", "))"
    var lines = ["# \(title.markdownText)", ""]
    lines += headlines.dropFirst().flatMap { ["\($0.markdownText)", ""] }
    let highlights = results.flatMap(\.highlights)
    if !highlights.isEmpty { lines += highlights.map { "- \($0.markdownText)" } + [""] }
    lines += results.flatMap { result in
      let failed = result.failedItems.isEmpty ? "" : ", \(result.failedItems.count) failed"
      return [
        "\(result.model.path) on \(result.data): \(result.count) items\(failed)".markdownText, "",
      ]
    }
    let rows = metricNames { $0.metrics + $0.performance.metrics }.map { name in
      [name]
        + results.flatMap { result in
          let metric = (result.metrics + result.performance.metrics)[name]
          return [metric?.formatted ?? "", metric?.intervalText ?? ""]
        }
    }
    if let overview { lines += Self.lines(of: overview, overview.title) + [""] }
    lines += Self.table(["metric"] + displayNames.flatMap { [$0, "95 %"] }, rows)
    for (name, result) in zip(displayNames, results) {
      for section in result.decisionSections {
        let prefix = results.count > 1 ? "\(name): " : ""
        lines += [""] + Self.lines(of: section, prefix + section.title)
      }
      if !result.failedItems.isEmpty {
        lines += ["", "## Failed items", ""]
        lines += result.failedItems.prefix(Self.maxListedItems).map {
          "- \("\($0.name): \($0.message)".markdownText)"
        }
      }
    }
    lines += ["", "```", command.singleLine.replacing("```", with: ""), "```", ""]
    lines += facts.map { "- \($0.markdownText)" }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  private static func lines(of section: ReportSection, _ title: String) -> [String] {
    let notes = section.notes.map { "- \($0.markdownText)" }
    let separator = section.notes.isEmpty || section.rows.isEmpty ? [] : [""]
    return ["## \(title.markdownText)", ""] + notes + separator
      + (section.rows.isEmpty ? [] : table(section.columns, section.rows))
  }

  private static let maxListedItems = 20

  /// What produced the report.
  private var facts: [String] {
    ["tensorio \(toolVersion)", machine, date].filter { !$0.isEmpty }
      + zip(displayNames, results).flatMap { name, result in
        result.identity.facts.map { "\(name): \($0.name) \($0.value)" }
      }
  }

  private static func table(_ columns: [String], _ rows: [[String]]) -> [String] {
    func line(_ cells: [String]) -> String {
      "| " + cells.map(\.markdownText).joined(separator: " | ") + " |"
    }
    let alignments = columns.indices.map { $0 == 0 ? "---" : "---:" }
    return [line(columns), "|\(alignments.joined(separator: "|"))|"] + rows.map(line)
  }

  /// The report as JUnit XML, which continuous integration lists as tests: one for each gate, and one for whether
  /// all items can be evaluated.
  public var junit: [UInt8] {
    let suites = results.map(suite)
    let root = Markup.element("testsuites", ["name": "tensorio evaluate"], suites)
    return Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(root.source)\n".utf8)
  }

  private func suite(_ result: EvaluationResult) -> Markup {
    let name = result.model.path.xmlText
    let gates = result.verdict.outcomes.map { outcome in
      Markup.element(
        "testcase", ["classname": name, "name": "\(outcome.gate)".xmlText],
        outcome.passes
          ? .element("system-out", [:], Markup(outcome.sentence.xmlText))
          : .element(
            "failure", ["type": "gate-failed", "message": outcome.sentence.xmlText], ""))
    }
    let failed = result.failedItems.prefix(Self.maxListedItems).map {
      "\($0.name): \($0.message)"
    }
    let items = Markup.element(
      "testcase", ["classname": name, "name": "items"],
      failed.isEmpty
        ? .empty
        : .element(
          "failure",
          [
            "type": "items-failed",
            "message": "\(result.failedItems.count) items could not be evaluated",
          ], Markup(failed.joined(separator: "\n").xmlText)))
    let properties =
      [("command", command), ("version", toolVersion), ("machine", machine), ("data", result.data)]
      + result.identity.facts.map { ("digest.\($0.name)", $0.value) }
      + result.metrics.map { ($0.name, $0.formatted + ($0.intervalText.map { " (\($0))" } ?? "")) }
      + result.undefinedMetrics.map { ($0.name, "undefined: \($0.reason)") }
    let failures = result.verdict.failures.count + (failed.isEmpty ? 0 : 1)
    return .element(
      "testsuite",
      [
        "name": "\(name) on \(result.data.xmlText)", "tests": "\(gates.count + 1)",
        "failures": "\(failures)", "errors": "0",
        "time": result.performance.totalSeconds.formatted(decimals: 3),
        "timestamp": date.xmlText,
      ],
      [
        .element(
          "properties", [:],
          properties.map { name, value in
            .element("property", ["name": name.xmlText, "value": value.xmlText])
          })
      ] + gates + [items, .element("system-out", [:], Markup(notes(on: result).xmlText))])
  }
}

extension EvaluationReport {
  /// The sentences of a result about slices, changes and what is not measured.
  private func notes(on result: EvaluationResult) -> String {
    result.decisionSections.flatMap { section in
      section.notes.map { "\(section.title): \($0)" }
    }.joined(separator: "\n")
  }
}

extension String {
  /// The text on one line, in which characters with a meaning in Markdown and HTML are escaped.
  fileprivate var markdownText: String {
    var text = ""
    for character in displayLine {
      if "\\`*_[]<>|#&".contains(character) { text.append("\\") }
      text.append(character)
    }
    return text
  }

  /// The text on one line of limited length.
  private var displayLine: String { truncated(to: 400).singleLine }

  /// The text without the control characters that XML does not allow.
  fileprivate var xmlText: String {
    String(
      String.UnicodeScalarView(
        truncated(to: 2000).unicodeScalars.filter { scalar in
          scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
            || "\t\n".unicodeScalars.contains(scalar)
        }))
  }
}
