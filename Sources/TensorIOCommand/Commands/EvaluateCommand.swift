import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// `tensorio evaluate`: how good models are on data whose right answers are known.
struct EvaluateCommand: Subcommand {
  static let format = Flag(
    "format", "FORMAT", "text, json or csv", choices: ["text", "json", "csv"])
  static let filter = Flag(
    "filter", "CONDITION",
    "only such as label=cat, name~*.png or set=TEST; may be repeated")
  static let ignoreUnknownLabels = Flag(
    "known-labels", "leaves out boxes of labels that the model does not know")
  static let iterations = Flag(
    "iterations", "N", "runs each example N times, for steadier latencies")

  static let helpPage = HelpPage(
    name: "evaluate", summary: "says how good models are on data with its right answers",
    usage: "BUNDLE… DATA [flags]",
    discussion: """
      DATA is a folder with a folder of pictures per label; a .csv, .tsv or .ndjson file of values;
      boxes as AutoML's .csv, COCO's .json or a folder of Pascal VOC's; a folder with images/ and
      masks/; or a .testbundle. What is measured follows from the data and the bundle: labels give
      top-k, precision, recall, F1 and calibration; boxes COCO's mean average precision; masks
      intersection over union; numbers MAE, RMSE and R²; embeddings ROC and EER. A bundle with an
      eval mode says itself how good it is: its outputs are averaged. Of a .testbundle alone, the
      models that it names are run.
      Exit code 1 when some examples could not be run, or a figure does not pass a --gate.
      """,
    flags: [
      format, ReportFiles.flag, GateFlag.flag, filter, ignoreUnknownLabels, iterations,
      ImageOutputFolders.preprocessedFolder,
      FailureCounter.flag,
    ] + EvaluationLogDestination.flags + [ModelOpener.threads] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio evaluate digits.tiobundle held-out/", "top-1 accuracy and loss over a folder"),
      (
        "tensorio evaluate digits.tiobundle digits-quantized.tiobundle held-out/",
        "two models on the same data"
      ),
      ("tensorio evaluate digits.tiobundle held-out/ --gate 'top1>=0.97'", "a check for scripts"),
      (
        "tensorio evaluate digits.tiobundle held-out/ --report digits.html",
        "a page with plots and the worst mistakes"
      ),
      ("tensorio evaluate shapes.tiobundle coco/annotations.json", "COCO's mean average precision"),
      ("tensorio evaluate houses.tiobundle houses.csv", "how far predicted prices are off"),
    ])

  private let bundles: [String]
  private let data: String
  private let format: OutputFormat
  private let arguments: ParsedArguments
  private let reportFiles: ReportFiles
  private let gates: GateFlag
  private let evaluation: EvaluationRunner

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let data = arguments.positionals.last,
      arguments.positionals.count > 1 || DatasetKind.kinds(of: data) == [.testBundle]
    else {
      throw .usage("name a bundle and data: tensorio evaluate \(Self.helpPage.usage)")
    }
    self.data = data
    bundles = Array(arguments.positionals.dropLast())
    format = arguments.choice(Self.format) ?? .text
    self.arguments = arguments
    reportFiles = try ReportFiles(arguments)
    gates = try GateFlag(arguments)
    let filters = arguments.values(Self.filter)
    evaluation = EvaluationRunner(
      opening: try ModelOpener(arguments),
      threads: try arguments.integer(ModelOpener.threads, in: 1...1024),
      iterations: try arguments.integer(Self.iterations, in: 1...1_000_000),
      filter: try OperationError.rethrowing { () throws(ModelError) in
        try DatasetFilter(parsing: filters)
      },
      ignoresUnknownLabels: arguments.has(Self.ignoreUnknownLabels),
      maxFailures: try arguments.integer(FailureCounter.flag, in: 1...(.max)),
      log: try EvaluationLogDestination(arguments),
      preprocessedFolder: arguments.value(ImageOutputFolders.preprocessedFolder),
      resultOptions: filters + (arguments.has(Self.ignoreUnknownLabels) ? [Self.ignoreUnknownLabels.name] : []))
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    var exit = ExitCode.success
    var results: [EvaluationResult] = []
    let named = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(named) {} }
    let bundles = try bundlesToRun()
    for (number, bundle) in bundles.enumerated() {
      let outcome = try evaluation.evaluate(bundle, named, index: number, of: bundles.count, console)
      results.append(outcome.result)
      if exit == .success { exit = outcome.exit }
      if outcome.exit == .interrupted { break }
    }
    let report = EvaluationReport(results, arguments: arguments, command: Self.helpPage.name)
    write(report, console)
    try reportFiles.write(report, console)
    for result in results where try !gates.isPassed(by: result, console) {
      if exit == .success { exit = .partialFailure }
    }
    return exit
  }

  /// The bundles that are named, else those of a test.
  private func bundlesToRun() throws(OperationError) -> [String] {
    guard bundles.isEmpty else { return bundles }
    let test = try OperationError.rethrowing { () throws(ModelError) in try TestBundle(at: data) }
    return test.models
  }

  private func write(_ report: EvaluationReport, _ console: Console) {
    switch format {
    case .json: console.writeOutput(report.json)
    case .csv: console.writeOutput(report.metricsCSV)
    case .text, .ndjson: report.textLines.forEach { console.print($0.sanitizedForTerminal) }
    }
  }
}
