import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// `tensorio drift`: compares new data with the data that a model is known to be good on.
struct DriftCommand: Subcommand {
  static let against = Flag(
    "against", "DATA", "Compare with other data instead of the bundle's reference")
  static let alert = Flag(
    "alert", "PSI",
    "Exit with 1 if a number drifts by more than PSI (default: \(DriftReport.muchDrift))")

  static let helpPage = HelpPage(
    name: "drift", summary: "Compare new data with the data a model is known to be good on",
    usage: "[options] <bundle> <data>",
    discussion: """
      <data> needs no labels: a folder of images, a .csv, .tsv or .ndjson file, or any other data of
      `tensorio evaluate`. It is compared with the reference that `tensorio evaluate --reference` has
      written into the bundle, or with --against.

      The numbers are those of the inputs (numbers, the brightness, contrast and aspect ratio of images,
      the lengths of texts) and of the results (scores, classes, counts of objects, numbers). Of each,
      the population stability index (PSI) counts: from 0.1 on there is some drift, from 0.25 on much,
      unless chance explains it. Embeddings are compared by their maximum mean discrepancy (MMD).

      Drift means that data has changed, not that the model is worse: label some of the new data and
      evaluate it. Exits with 1 if a PSI is above --alert, embeddings drift much, or items fail.
      """,
    flags: [
      against, alert, EvaluateCommand.format, FailureCounter.flag, ModelOpener.threads,
    ] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio drift digits.tiobundle this-week/",
        "List what is unlike the data of the last evaluation"
      ),
      (
        "tensorio drift houses.tiobundle june.csv --against may.csv --alert 0.2",
        "Compare two tables, and check the result in a script"
      ),
    ])

  private let bundle: String
  private let data: String
  private let otherData: String?
  private let threshold: Double
  private let format: OutputFormat
  private let maxFailures: Int?
  private let threads: Int?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count == 2 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty
          ? "missing <bundle> and <data>"
          : arguments.positionals.count == 1 ? "missing <data>" : "too many arguments")
    }
    (bundle, data) = (arguments.positionals[0], arguments.positionals[1])
    otherData = arguments.value(Self.against)
    threshold = try Self.threshold(arguments)
    format = arguments.choice(EvaluateCommand.format) ?? .text
    maxFailures = try arguments.integer(FailureCounter.flag, in: 1...(.max))
    threads = try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange)
    opener = try ModelOpener(arguments)
  }

  private static func threshold(_ arguments: ParsedArguments) throws(OperationError) -> Double {
    guard let text = arguments.value(alert) else { return DriftReport.muchDrift }
    guard let number = Double(text), number.isFinite, number >= 0 else {
      throw .usage("--alert takes a number of at least 0, got '\(text)'")
    }
    return number
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try opener.bundle(bundle, console)
    var reference: DriftReference?
    if otherData == nil {
      reference = try OperationError.rethrowing { () throws(ModelError) in
        try DriftReference(of: bundle)
      }
      guard reference != nil else {
        throw OperationError(
          "no-reference",
          "\(bundle.path) has no reference to compare with; write one with `tensorio evaluate \(bundle.path.shellEscaped) <data> --reference`, or name data with --against",
          exitCode: .invalidBundle)
      }
    }
    var exit = ExitCode.success
    let sample = try sample(of: data, bundle, &exit, console)
    guard exit != .interrupted else { return exit }
    let report: DriftReport
    if let reference {
      report = try OperationError.rethrowing { () throws(ModelError) in
        try DriftReport(sample, against: reference)
      }
    } else {
      let other = try self.sample(of: otherData ?? data, bundle, &exit, console)
      guard exit != .interrupted else { return exit }
      report = try OperationError.rethrowing { () throws(ModelError) in
        try DriftReport(sample, against: other)
      }
    }
    write(report, console)
    let alerts = report.alerts(above: threshold)
    if !alerts.isEmpty {
      let names = alerts.prefix(3).map(\.name).joined(separator: ", ")
      let rest = alerts.count > 3 ? " and \(alerts.count - 3) more" : ""
      console.printError(
        OperationError(
          "drift-alert", "\(data): drift above \(threshold) in \(names)\(rest)",
          exitCode: .partialFailure))
    }
    return exit == .success && !alerts.isEmpty ? .partialFailure : exit
  }

  /// Measures the items of data, and reports those that fail.
  private func sample(
    of data: String, _ bundle: ModelBundle, _ exit: inout ExitCode, _ console: Console
  ) throws(OperationError) -> DriftSample {
    let dataset = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(dataset) {} }
    // The number of items is known after the model is open, which reads them.
    let parallelism = Parallelism(items: .max, threadsPerSession: threads)
    let model = try opener.with(parallelism: parallelism).model(bundle, console)
    let items = try ComparisonInputs([dataset.path], inputFile: nil, for: model, console).items
    var progress = RunProgress(
      min(items.count, DriftSample.maxItems),
      failures: FailureCounter(limit: maxFailures, previouslyRecorded: 0), console)
    let sample = try OperationError.rethrowing { () throws(ModelError) in
      try DriftSample(
        of: model, count: items.count, threads: parallelism.itemThreads,
        name: { items[$0].name },
        progress: { failed in
          let error = failed.map {
            OperationError($0.code, $0.message, exitCode: ExitCode($0.stage))
          }
          return progress.record(error, for: failed?.name ?? "") == .proceed
        },
        input: { (index) throws(ModelError) in try items[index].read() })
    }
    let result = progress.finish(isOnlyItem: items.count == 1)
    if exit == .success { exit = result }
    return sample
  }

  private func write(_ report: DriftReport, _ console: Console) {
    switch format {
    case .json:
      console.writeJSONObject { writer in
        writer.member("bundle", bundle)
        writer.member("data", data)
        if let otherData { writer.member("against", otherData) }
        report.write(alertingAbove: threshold, to: &writer)
      }
    case .csv: console.writeOutput(report.csv)
    case .text, .ndjson:
      console.printText(report.lines(alertingAbove: threshold, width: console.outputColumns))
    }
  }
}
