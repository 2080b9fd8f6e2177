import TensorIO
import TensorIOCore
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// The report files of an evaluation, in the formats of their extensions.
struct ReportFiles {
  static let flag = Flag(
    "report", "FILE", "Write a report to FILE.html, .json or .csv (repeatable)")

  private enum Format: String, CaseIterable { case html, json, csv }

  private let files: [(path: String, format: Format)]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    var files: [(path: String, format: Format)] = []
    for path in arguments.values(Self.flag) {
      let pathExtension = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
      guard let format = Format(rawValue: pathExtension) else {
        throw .usage("--report takes a file name ending in .html, .json or .csv, got '\(path)'")
      }
      files.append((path, format))
    }
    self.files = files
  }

  /// Writes all files, and prints their paths.
  func write(_ report: EvaluationReport, _ console: Console) throws(OperationError) {
    for (path, format) in files {
      do throws(FileError) {
        try AtomicFile.write(bytes(of: report, format), to: path)
      } catch {
        throw .unwritable(path, error.message)
      }
      console.info("tensorio: wrote \(path)")
    }
  }

  private func bytes(of report: EvaluationReport, _ format: Format) -> [UInt8] {
    switch format {
    case .html: ReportPage(report, cards: Self.modelCards(of: report)).html
    case .json: report.json
    case .csv: report.metricsCSV
    }
  }

  /// Returns the model cards of the bundles, by path.
  private static func modelCards(of report: EvaluationReport) -> [String: String] {
    let limit = 1 << 20
    return report.results.reduce(into: [:]) { cards, result in
      let path = result.model.path
      guard let card = try? FileBytes.contents(of: "\(path)/CARD.md", limit: limit) else { return }
      cards[path] = String(decoding: card, as: UTF8.self)
    }
  }
}

extension EvaluationReport {
  /// Creates the report of a command line.
  init(_ results: [EvaluationResult], arguments: ParsedArguments, command: String) {
    let words = ["tensorio", command] + arguments.rawArguments.map(\.shellEscaped)
    self.init(
      results, command: words.joined(separator: " "), date: Platform.timestamp,
      toolVersion: Version.current)
  }
}

/// The gates of an evaluation: conditions on metrics that determine the exit code.
struct GateFlag {
  static let flag = Flag(
    "gate", "METRIC>=NUMBER", "Exit with 1 if a metric fails the condition (repeatable)")

  private let gates: [Gate]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    do throws(ModelError) {
      var gates: [Gate] = []
      for text in arguments.values(Self.flag) { gates.append(try Gate(text)) }
      self.gates = gates
    } catch {
      throw .usage("\(error)")
    }
  }

  /// Throws a usage error if a gate names a metric that an evaluation does not report.
  func validate(for plan: EvaluationPlan) throws(OperationError) {
    guard let names = plan.metricNames else { return }
    do throws(ModelError) {
      for gate in gates { try gate.validate(against: names) }
    } catch {
      throw .usage("--gate: \(error)")
    }
  }

  /// Evaluates all gates, reports those that fail, and returns whether all pass.
  func isPassed(
    by result: EvaluationResult, of plan: EvaluationPlan, _ console: Console
  ) throws(OperationError) -> Bool {
    var isPassed = true
    for gate in gates {
      if let reason = reason(whyUndefined: gate.name, in: result, of: plan) {
        isPassed = false
        console.printError(
          OperationError(
            "gate-failed", "\(result.model.path): \(gate): failed with no value; \(reason)",
            exitCode: .partialFailure))
        continue
      }
      do throws(ModelError) {
        let verdict = try gate.evaluate(result.gatedMetrics)
        guard !verdict.passes else { continue }
        isPassed = false
        console.printError(
          OperationError(
            "gate-failed", "\(result.model.path): \(verdict)", exitCode: .partialFailure))
      } catch {
        throw .usage("--gate: \(error)")
      }
    }
    return isPassed
  }

  /// Returns the reason why a metric that the evaluation can report has no value; `nil` if it has
  /// one, or if it is unknown.
  private func reason(
    whyUndefined name: String, in result: EvaluationResult, of plan: EvaluationPlan
  ) -> String? {
    guard !result.gatedMetrics.contains(where: { $0.name == name }) else { return nil }
    if let metric = result.undefinedMetrics.first(where: { $0.name == name }) {
      return metric.reason
    }
    guard plan.metricNames?.contains(name) == true else { return nil }
    return result.count == 0 ? "no item was evaluated" : "'\(name)' is undefined for this data"
  }
}

extension EvaluationResult {
  /// The metrics that gates can name.
  fileprivate var gatedMetrics: [MetricValue] {
    metrics + performance.metrics + performance.stageMetrics
  }
}
