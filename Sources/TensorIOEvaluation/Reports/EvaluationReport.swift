internal import TensorIOCore

/// What came of judging models by data, and how it came about.
///
///     let report = EvaluationReport([float, quantized], command: "tensorio evaluate …", …)
///     for line in report.lines { print(line) }
///     try CompleteFile.write(ReportPage(report, cards: cards).html, to: "report.html")
public struct EvaluationReport: Sendable, Hashable {
  /// What came of each model and each data, in the order of the command.
  public var results: [EvaluationResult]
  /// The exact command line.
  public var command: String
  /// When it was, as people and scripts read it: `2026-11-22T00:15:00Z`.
  public var date: String
  /// The version of the program.
  public var program: String
  /// What it ran on.
  public var machine: String

  /// A report on results.
  public init(
    _ results: [EvaluationResult], command: String, date: String, program: String,
    machine: String = EvaluationReport.thisMachine
  ) {
    self.results = results
    (self.command, self.date, self.program, self.machine) = (command, date, program, machine)
  }

  /// What can be said of this machine at no cost: its processor, and how many threads it has for us.
  public static var thisMachine: String {
    let threads = ThreadCount.standard
    return "\(RuntimeArchitecture.current.rawValue), \(threads) thread\(threads == 1 ? "" : "s")"
  }
}
