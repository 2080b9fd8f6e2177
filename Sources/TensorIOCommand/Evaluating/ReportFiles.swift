internal import TensorIO
internal import TensorIOCore
internal import TensorIOEvaluation
internal import TensorIOSystem

/// The files that a report is written into, each in the form that its ending says.
struct ReportFiles {
  static let flag = Flag(
    "report", "FILE", "writes the report to FILE.html, .json or .csv; may be repeated")

  private enum Form: String, CaseIterable { case html, json, csv }

  private let files: [(path: String, form: Form)]

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    var files: [(path: String, form: Form)] = []
    for path in arguments.all(Self.flag) {
      let ending = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
      guard let form = Form(rawValue: ending) else {
        throw .usage("--report takes a file that ends in .html, .json or .csv, got '\(path)'")
      }
      files.append((path, form))
    }
    self.files = files
  }

  /// Writes all files, and says where.
  func write(_ report: EvaluationReport, _ console: Console) throws(CommandFailure) {
    for (path, form) in files {
      do throws(FileFault) {
        try CompleteFile.write(bytes(of: report, form), to: path)
      } catch {
        throw .unwritable(path, error.problem)
      }
      console.note("tensorio: wrote \(path)")
    }
  }

  private func bytes(of report: EvaluationReport, _ form: Form) -> [UInt8] {
    switch form {
    case .html: ReportPage(report, cards: Self.cards(of: report)).html
    case .json: report.json
    case .csv: report.figuresTable
    }
  }

  /// What the bundles say of themselves.
  private static func cards(of report: EvaluationReport) -> [String: String] {
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
  init(_ results: [EvaluationResult], of arguments: ParsedArguments, verb: String) {
    let command = (["tensorio", verb] + arguments.original.map(\.shellWord)).joined(separator: " ")
    self.init(
      results, command: command, date: Platform.now, program: Version.current)
  }
}
