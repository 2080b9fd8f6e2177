import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem

/// `tensorio evaluate`: measures the quality and speed of models on labeled data.
struct EvaluateCommand: Subcommand {
  static let format = Flag(
    "format", "FORMAT", "Output format: text, json or csv (default: text)",
    choices: ["text", "json", "csv"])
  static let filter = Flag(
    "filter", "CONDITION", "Select items: label=cat, name~*.png or set=TEST (repeatable)")
  static let ignoreUnknownLabels = Flag(
    "ignore-unknown-labels", "Skip boxes whose labels the model does not have")
  static let label = Flag(
    "label", "COLUMN", "Column or key of the data with the labels (default: label)")
  static let gallery = Flag(
    "gallery", "FILE", "Evaluate the names that a gallery gives to embeddings")
  static let normalizer = Flag(
    "normalizer", "NAME",
    "Normalizer of transcripts: english or basic (default: by language)",
    choices: TranscriptNormalizer.allCases.map(\.rawValue))
  static let reference = Flag(
    "reference", "Write the distributions of inputs and results into the bundle")
  static let iterations = Flag(
    "iterations", "N", "Number of runs per item, for stable latencies")

  static let helpPage = HelpPage(
    name: "evaluate", summary: "Evaluate models on labeled data",
    usage: """
      [options] <bundle> ... <data>
      [options] <testbundle>
      """,
    discussion: """
      <data> is one of: a folder with one subfolder of images per label; a .csv, .tsv or .ndjson
      file of values; boxes in AutoML .csv, COCO .json or a folder of Pascal VOC files; a folder
      with images/ and masks/; tracks in img1/ and gt/gt.txt; questions in SQuAD .json; sentences
      in .conll; .txt files, or prompts with answers or choices in .ndjson or .csv, for language
      models; a .testbundle, which can also name the models; or a dataset @<name>.

      The metrics depend on the data and the bundle. Labels: top-k accuracy, precision, recall, F1
      and calibration. Boxes: COCO mean average precision. Masks: intersection over union. Tracks:
      MOTA and IDF1. Answers: exact match and F1. Sentences: F1 of labeled sections. Texts:
      perplexity. Generated answers: also ROUGE-L. Choices: accuracy. Numbers: MAE, RMSE and R².
      Embeddings: ROC and EER. Recordings: error rates of words and characters, as they are written
      and normalized. For a bundle with an eval mode, the outputs of that mode are
      averaged. Metrics have intervals that contain their true values with a probability of 95 %.

      Several bundles are compared with the first one, or each with its --baseline: items that got
      wrong and right, and whether a difference is more than chance. The columns of a table that
      the model does not take are attributes, such as the site of an image; slices of items that are
      worse than the others are found without being named.

      A gate is a condition on a metric ('top1>=97%'), on one of a class ('recall[cat]>=0.9') or a
      slice ('top1[site=A]>=0.9'), relative to the baseline ('top1>=baseline-0.5%'), or on what got
      worse ('regressions<=10', 'slice_regressions<=0', 'worst_slice>=0.8').

      --cost reads what each kind of error costs, in rows such as 'tumor,healthy,50'; * is any other
      label, (background) what is missed or invented, (none) a score below the threshold. The metric
      expected_cost is the mean cost of an item, and the threshold is the one with the lowest cost.

      --reference writes the distributions of inputs and results into the bundle, with which
      `tensorio drift` and a server compare later data.

      Exits with 1 if items fail or a metric does not pass its --gate.
      """,
    flags: [
      format, ReportFiles.flag,
    ] + DecisionFlags.flags + [
      ThresholdWriter.flag, reference, filter, label, ignoreUnknownLabels, gallery, normalizer,
      iterations,
      ImageOutputFolders.preprocessedFolder,
      FailureCounter.flag,
    ] + EvaluationLogDestination.flags + [ModelOpener.threads] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio evaluate digits.tiobundle held-out/", "Measure the accuracy on a folder"),
      (
        "tensorio evaluate digits.tiobundle digits-quantized.tiobundle held-out/",
        "Evaluate two models on the same data"
      ),
      (
        "tensorio evaluate digits.tiobundle held-out/ --gate 'top1>=0.97'",
        "Check a metric in a script"
      ),
      (
        "tensorio evaluate new.tiobundle held-out/ --baseline old.json --gate 'regressions<=10'",
        "Check what got worse since an earlier report"
      ),
      (
        "tensorio evaluate digits.tiobundle digits.csv --slice site --gate 'top1[site=A]>=0.9'",
        "Evaluate the images of each site"
      ),
      (
        "tensorio evaluate digits.tiobundle held-out/ --report digits.html",
        "Write a page with charts and the worst errors"
      ),
      (
        "tensorio evaluate scans.tiobundle held-out/ --cost costs.csv --gate 'expected_cost<=0.2'",
        "Decide by what errors cost"
      ),
      (
        "tensorio evaluate shapes.tiobundle coco/annotations.json",
        "Compute COCO mean average precision"
      ),
      (
        "tensorio evaluate smollm2.tiobundle manual.txt --gate 'perplexity<=40'",
        "Measure how well a language model predicts a text"
      ),
      (
        "tensorio evaluate digits.tiobundle held-out/ --reference",
        "Let `tensorio drift` and servers compare later images with these"
      ),
      ("tensorio evaluate houses.tiobundle houses.csv", "Measure the errors of a regression"),
    ])

  private let bundles: [String]
  private let data: String
  private let format: OutputFormat
  private let arguments: ParsedArguments
  private let reportFiles: ReportFiles
  private let decisions: DecisionFlags
  private let setsThreshold: Bool
  private let writesReference: Bool
  private let evaluation: EvaluationRunner

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let data = arguments.positionals.last,
      arguments.positionals.count > 1 || DatasetKind.kinds(of: data) == [.testBundle]
    else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle> and <data>" : "missing <data>")
    }
    self.data = data
    bundles = Array(arguments.positionals.dropLast())
    format = arguments.choice(Self.format) ?? .text
    self.arguments = arguments
    reportFiles = try ReportFiles(arguments)
    decisions = try DecisionFlags(arguments)
    setsThreshold = arguments.has(ThresholdWriter.flag)
    writesReference = arguments.has(Self.reference)
    guard !writesReference || !arguments.has(EvaluationLogDestination.resume) else {
      throw .usage("--reference cannot be combined with --resume: it measures every item")
    }
    let filters = arguments.values(Self.filter)
    var evaluation = EvaluationRunner(
      opening: try ModelOpener(arguments),
      threads: try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange),
      iterations: try arguments.integer(Self.iterations, in: 1...1_000_000),
      filter: try OperationError.rethrowing { () throws(ModelError) in
        try DatasetFilter(parsing: filters)
      },
      ignoresUnknownLabels: arguments.has(Self.ignoreUnknownLabels),
      gallery: arguments.value(Self.gallery), normalizer: arguments.choice(Self.normalizer),
      attributes: arguments.value(DecisionFlags.attributes),
      costs: arguments.value(DecisionFlags.costs),
      baseline: try BaselineFile(arguments),
      maxFailures: try arguments.integer(FailureCounter.flag, in: 1...(.max)),
      log: try EvaluationLogDestination(arguments),
      preprocessedFolder: arguments.value(ImageOutputFolders.preprocessedFolder),
      resultOptions: filters
        + (arguments.has(Self.ignoreUnknownLabels) ? [Self.ignoreUnknownLabels.name] : [])
        + (arguments.value(Self.label).map { ["column=\($0)"] } ?? [])
        + (arguments.value(Self.gallery).map { ["gallery=\($0)"] } ?? [])
        + (arguments.value(Self.normalizer).map { ["normalizer=\($0)"] } ?? []))
    evaluation.recordsReference = writesReference
    evaluation.labelColumn = arguments.value(Self.label)
    self.evaluation = evaluation
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    var exitCode = ExitCode.success
    var results: [EvaluationResult] = []
    let dataset = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(dataset) {} }
    let bundles = try bundlesToRun()
    // Errors in the data and in the names of metrics are found before the first model runs.
    let plans = try bundles.enumerated().map { index, bundle throws(OperationError) in
      let plan = try evaluation.plan(bundle, dataset, console)
      try decisions.validate(for: plan, isFirst: bundles.count == 1)
      if setsThreshold { try ThresholdWriter.validate(plan.bundle) }
      if writesReference {
        try OperationError.rethrowing { () throws(ModelError) in
          try DriftReference.throwIfUnwritable(plan.bundle)
        }
      }
      return plan
    }
    var digest: DatasetDigest?
    for (index, plan) in plans.enumerated() {
      var outcome = try evaluation.evaluate(plan, dataset, index: index, of: plans.count, console)
      let data = digest ?? DatasetDigest(of: plan)
      digest = data
      outcome.result.identity = try EvaluationIdentity(of: plan, data: data)
      outcome.result.duplicates = data.duplicates
      let baseline =
        outcome.baseline.map { ($0, evaluation.baseline?.path ?? "") }
        ?? results.first.map { ($0, $0.model.path) }
      try decisions.decide(&outcome.result, of: plan, baseline: baseline)
      results.append(outcome.result)
      if exitCode == .success { exitCode = outcome.exit }
      if outcome.exit == .interrupted { break }
    }
    let report = EvaluationReport(results, arguments: arguments, command: Self.helpPage.name)
    // A closed standard output ends the process, and must not lose the files.
    let contents =
      reportFiles.includesPage
      ? zip(plans, results).map {
        SampleContents.contents(of: $1, $0, evaluation.opening, console)
      } : []
    try reportFiles.write(report, contents: contents, console)
    write(report, console)
    if setsThreshold, exitCode != .interrupted {
      for (plan, result) in zip(plans, results) {
        try ThresholdWriter.write(result, to: plan.bundle, console)
      }
    }
    if writesReference, exitCode != .interrupted {
      for (plan, result) in zip(plans, results) { try write(result.reference, to: plan, console) }
    }
    for result in results where !decisions.isPassed(by: result, console) {
      if exitCode == .success { exitCode = .partialFailure }
    }
    return exitCode
  }

  /// Writes a reference into the bundle that it is of.
  private func write(
    _ reference: DriftReference?, to plan: EvaluationPlan, _ console: Console
  ) throws(OperationError) {
    let path = plan.bundle.path
    guard let reference else {
      throw OperationError(
        ModelError(
          .input, .unmetRequirement("a reference requires items with numbers that can be measured"),
          file: path))
    }
    try OperationError.rethrowing { () throws(ModelError) in try reference.write(to: plan.bundle) }
    console.info("tensorio: wrote the reference of \(reference.count) items into \(path)")
  }

  /// Returns the bundles of the command line, or those that the test bundle names.
  private func bundlesToRun() throws(OperationError) -> [String] {
    guard bundles.isEmpty else { return bundles }
    let testBundle = try OperationError.rethrowing { () throws(ModelError) in
      try TestBundle(at: data)
    }
    return testBundle.models
  }

  private func write(_ report: EvaluationReport, _ console: Console) {
    switch format {
    case .json: console.writeOutput(report.withoutItems.json)
    case .csv: console.writeOutput(report.metricsCSV)
    case .text, .ndjson:
      console.printText(
        console.outputColumns.map(report.textLines(width:)) ?? report.textLines)
    }
  }
}
