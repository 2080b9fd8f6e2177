internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOEvaluation

/// `tensorio evaluate`: how good models are on data whose right answers are known.
struct EvaluateVerb: Verb {
  static let format = Flag(
    "format", "FORMAT", "text, json or csv", choices: ["text", "json", "csv"])
  static let filter = Flag(
    "filter", "CONDITION",
    "only such as label=cat, name~*.png or set=TEST; may be repeated")
  static let knownLabels = Flag(
    "known-labels", "leaves out boxes of labels that the model does not know")
  static let iterations = Flag(
    "iterations", "N", "runs each example N times, for steadier latencies")

  static let page = HelpPage(
    name: "evaluate", summary: "says how good models are on data with its right answers",
    usage: "BUNDLE… DATA [flags]",
    details: """
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
      format, ReportFiles.flag, GateFlag.flag, filter, knownLabels, iterations,
      PictureFolders.showInput,
      FailureCount.flag,
    ] + JournalDestination.flags + [BundleOpening.threads] + BundleOpening.runtimes,
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
  private let files: ReportFiles
  private let gates: GateFlag
  private let work: EvaluationWork

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard let data = arguments.words.last,
      arguments.words.count > 1 || DataKind.kinds(of: data) == [.testBundle]
    else {
      throw .usage("name a bundle and data: tensorio evaluate \(Self.page.usage)")
    }
    self.data = data
    bundles = Array(arguments.words.dropLast())
    format = arguments.choice(Self.format) ?? .text
    self.arguments = arguments
    files = try ReportFiles(arguments)
    gates = try GateFlag(arguments)
    let filters = arguments.all(Self.filter)
    work = EvaluationWork(
      opening: try BundleOpening(arguments),
      threads: try arguments.integer(BundleOpening.threads, in: 1...1024),
      iterations: try arguments.integer(Self.iterations, in: 1...1_000_000),
      filter: try CommandFailure.wrapping { () throws(ModelError) in
        try DataFilter(parsing: filters)
      },
      knownLabelsOnly: arguments.has(Self.knownLabels),
      maxFailures: try arguments.integer(FailureCount.flag, in: 1...(.max)),
      journal: try JournalDestination(arguments),
      showInput: arguments.value(PictureFolders.showInput),
      decisions: filters + (arguments.has(Self.knownLabels) ? [Self.knownLabels.name] : []))
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    var exit = ExitCode.ok
    var results: [EvaluationResult] = []
    let named = try NamedData(data, console)
    defer { withExtendedLifetime(named) {} }
    let bundles = try bundlesToRun()
    for (number, bundle) in bundles.enumerated() {
      let outcome = try work.evaluate(bundle, named, number: number, of: bundles.count, console)
      results.append(outcome.result)
      if exit == .ok { exit = outcome.exit }
      if outcome.exit == .interrupted { break }
    }
    let report = EvaluationReport(results, of: arguments, verb: Self.page.name)
    write(report, console)
    try files.write(report, console)
    for result in results where try !gates.isPassed(by: result, console) {
      if exit == .ok { exit = .fellShort }
    }
    return exit
  }

  /// The bundles that are named, else those of a test.
  private func bundlesToRun() throws(CommandFailure) -> [String] {
    guard bundles.isEmpty else { return bundles }
    let test = try CommandFailure.wrapping { () throws(ModelError) in try TestBundle(at: data) }
    return test.models
  }

  private func write(_ report: EvaluationReport, _ console: Console) {
    switch format {
    case .json: console.output(report.json)
    case .csv: console.output(report.figuresTable)
    case .text, .ndjson: report.lines.forEach { console.print($0.printable) }
    }
  }
}
