import TensorIO
import TensorIOCore
import TensorIOEvaluation
import TensorIOSystem

/// The files that a report is written into, each in the form that its ending says.
struct ReportFiles {
  static let flag = Flag(
    "report", "FILE", "writes the report to FILE.html, .json or .csv; may be repeated")

  private enum Format: String, CaseIterable { case html, json, csv }

  private let files: [(path: String, form: Format)]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    var files: [(path: String, form: Format)] = []
    for path in arguments.values(Self.flag) {
      let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
      guard let form = Format(rawValue: ending) else {
        throw .usage("--report takes a file that ends in .html, .json or .csv, got '\(path)'")
      }
      files.append((path, form))
    }
    self.files = files
  }

  /// Writes all files, and says where.
  func write(_ report: EvaluationReport, _ console: Console) throws(OperationError) {
    for (path, form) in files {
      do throws(FileError) {
        try AtomicFile.write(bytes(of: report, form), to: path)
      } catch {
        throw .unwritable(path, error.message)
      }
      console.info("tensorio: wrote \(path)")
    }
  }

  private func bytes(of report: EvaluationReport, _ form: Format) -> [UInt8] {
    switch form {
    case .html: ReportPage(report, cards: Self.modelCards(of: report)).html
    case .json: report.json
    case .csv: report.metricsCSV
    }
  }

  /// What the bundles say of themselves.
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
  /// A report of what a command line asked for.
  init(_ results: [EvaluationResult], arguments: ParsedArguments, command: String) {
    let command = (["tensorio", command] + arguments.rawArguments.map(\.shellEscaped)).joined(separator: " ")
    self.init(
      results, command: command, date: Platform.timestamp, toolVersion: Version.current)
  }
}

/// What figures must be for a command to succeed.
struct GateFlag {
  static let flag = Flag(
    "gate", "FIGURE>=NUMBER", "exit code 1 when a figure falls short; may be given more than once")

  private let gates: [Gate]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    do throws(GateError) {
      var gates: [Gate] = []
      for text in arguments.values(Self.flag) { gates.append(try Gate(text)) }
      self.gates = gates
    } catch {
      throw .usage("\(error)")
    }
  }

  /// Holds a result against all gates and tells of each that it fails.
  func isPassed(by result: EvaluationResult, _ console: Console) throws(OperationError) -> Bool {
    var isPassed = true
    for gate in gates {
      do throws(GateError) {
        let verdict = try gate.evaluate(
          result.metrics + result.performance.metrics + result.performance.stageMetrics)
        guard !verdict.passes else { continue }
        isPassed = false
        console.printError(
          OperationError("gate", "\(result.model.path): \(verdict)", exitCode: .partialFailure))
      } catch {
        throw .usage("--gate: \(error)")
      }
    }
    return isPassed
  }
}
