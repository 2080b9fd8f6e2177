import TensorIO
import TensorIOCore
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// The report files of an evaluation, in the formats of their extensions.
struct ReportFiles {
  static let flag = Flag(
    "report", "FILE",
    "Write a report to FILE.html, .json, .csv, .md or .xml (repeatable)")

  private enum Format: String, CaseIterable { case html, json, csv, md, xml }

  private let files: [(path: String, format: Format)]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    var files: [(path: String, format: Format)] = []
    for path in arguments.values(Self.flag) {
      let pathExtension = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
      guard let format = Format(rawValue: pathExtension) else {
        throw .usage(
          "--report takes a file name ending in .html, .json, .csv, .md or .xml, got '\(path)'")
      }
      files.append((path, format))
    }
    self.files = files
  }

  /// Whether one of the files is a page, which shows samples.
  var includesPage: Bool { files.contains { $0.format == .html } }

  /// Writes all files, and prints their paths.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - contents: What the samples of each result show, by item name.
  ///   - console: The console.
  /// - Throws: An error if a file cannot be written.
  func write(
    _ report: EvaluationReport, contents: [[String: SampleContent]], _ console: Console
  ) throws(OperationError) {
    for (path, format) in files {
      do throws(FileError) {
        try AtomicFile.write(bytes(of: report, format, contents), to: path)
      } catch {
        throw .unwritable(path, error.message)
      }
      console.info("tensorio: wrote \(path)")
    }
  }

  private func bytes(
    of report: EvaluationReport, _ format: Format, _ contents: [[String: SampleContent]]
  ) -> [UInt8] {
    switch format {
    case .html:
      ReportPage(report, cards: Self.modelCards(of: report), contents: contents).html
    case .json: report.json
    case .csv: report.metricsCSV
    case .md: report.markdown
    case .xml: report.junit
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
