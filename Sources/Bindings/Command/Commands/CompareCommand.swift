import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOSystem

/// `tensorio compare`: compares the outputs and latencies of two models.
struct CompareCommand: Subcommand {
  static let inputFile = Flag(
    "input-file", "FILE", "Read inputs from FILE, one JSON value per line")
  static let threads = Flag(
    "threads", "N[,N]", "Number of threads per run, of both models or of A and B")
  static let tolerance = Flag("tolerance", "X", "Exit with 1 if any numbers differ by more than X")
  static let minAgreement = Flag(
    "min-agreement", "FRACTION", "Exit with 1 if a smaller fraction of items agrees, such as 0.99")
  static let worstItems = Flag("worst-items", "N", "Number of items to list (default: 10)")
  static let annotate = Flag(
    "annotate", "DIR", "Draw the results of listed items as DIR/<stem>-a.png and -b.png")

  static let helpPage = HelpPage(
    name: "compare", summary: "Compare the outputs and latencies of two models",
    usage: "[options] <bundle-a> <bundle-b> [<data> | <input> ...]",
    discussion: """
      The bundles can differ in precision or in the runtime (LiteRT, TensorFlow, ONNX Runtime), or be
      the same bundle with different numbers of threads (--threads 1,4). Outputs are matched by name,
      or by position if the names differ.

      <data> is a folder of images, optionally with one subfolder per label, or a .csv, .tsv or
      .ndjson file, or any other data of `tensorio evaluate`. If it has ground truth, the items that
      only one model gets right are listed, by class and by slice. <input> is any input of
      `tensorio run`. Without either, the samples of the first bundle are used.

      In place of two bundles, two reports of `tensorio evaluate` as .json, or two logs as .ndjson,
      are compared by their ground truth without running a model.

      Classifications agree if their best labels are equal; other outputs agree if all numbers are
      equal up to --tolerance. The default tolerance of floating-point numbers is 0.0001, relative to
      the larger number if it is above 1; other numbers must be equal. Exits with 1 if --tolerance or
      --min-agreement is not met, or if items fail. An interrupt prints the results so far.
      """,
    flags: [
      tolerance, minAgreement, worstItems, annotate, .textOrJSON, inputFile, threads,
      ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale, FailureCounter.flag,
    ] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio compare digits.tiobundle quantized.tiobundle held-out/ --min-agreement 0.99",
        "Check the effect of quantization in a script"
      ),
      (
        "tensorio compare model-tflite.tiobundle model-onnx.tiobundle cat.jpg --tolerance 1e-4",
        "Check that a network has the same outputs in two runtimes"
      ),
      (
        "tensorio compare digits.tiobundle digits.tiobundle held-out/ --threads 1,4",
        "Compare latencies with one and four threads"
      ),
      ("tensorio compare old.json new.json", "List what got worse between two evaluations"),
      (
        "tensorio compare old.tiobundle new.tiobundle photos/ --worst-items 20 --annotate out/",
        "Draw the results that changed most"
      ),
    ])

  private let bundles: (a: String, b: String)
  private let inputs: [String]
  private let inputFile: String?
  private let threads: (a: Int, b: Int)
  private let thresholds: ComparisonThresholds
  private let options: ModelComparison.Options
  private let annotateFolder: String?
  private let maxFailures: Int?
  private let opener: ModelOpener
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count >= 2 else {
      throw Self.helpPage.usageError(
        arguments.positionals.isEmpty ? "missing <bundle-a> and <bundle-b>" : "missing <bundle-b>")
    }
    bundles = (arguments.positionals[0], arguments.positionals[1])
    inputs = Array(arguments.positionals.dropFirst(2))
    inputFile = arguments.value(Self.inputFile)
    guard inputFile == nil || inputs.isEmpty else {
      throw .usage("--input-file cannot be combined with inputs")
    }
    threads = try Self.threads(arguments)
    thresholds = try ComparisonThresholds(arguments)
    var options = ModelComparison.Options()
    options.tolerance = thresholds.maxDifference
    options.maxWorstItems =
      try arguments.integer(Self.worstItems, in: 0...1_000_000) ?? options.maxWorstItems
    self.options = options
    annotateFolder = arguments.value(Self.annotate)
    maxFailures = try arguments.integer(FailureCounter.flag, in: 1...(.max))
    opener = try ModelOpener(arguments, threads: nil)
    isJSON = arguments.value(.textOrJSON) == "json"
  }

  private static func threads(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> (a: Int, b: Int) {
    let counts = try arguments.integers(Self.threads, in: ModelOpener.threadRange)
    guard let first = counts?.first, let last = counts?.last else {
      return (ThreadCount.defaultCount, ThreadCount.defaultCount)
    }
    guard counts?.count ?? 0 <= 2 else {
      throw .usage("--threads takes one number, or two such as 1,4")
    }
    return (first, last)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let files = [bundles.a, bundles.b].map { path in
      [".json", ".ndjson"].contains(where: path.hasSuffix) && FileKind(at: path) == .file
    }
    guard files.contains(false) else { return try compareReports(console) }
    let a = try opener.with(threads: threads.a).model(at: bundles.a, console)
    let b = try opener.with(threads: threads.b).model(at: bundles.b, console)
    let comparison: ModelComparison
    do {
      comparison = try ModelComparison(a, b, options)
    } catch {
      throw OperationError(error)
    }
    let imageWriter = try annotateFolder.map { folder throws(OperationError) in
      try DifferenceImageWriter(folder, a, b)
    }
    let inputs = try ComparisonInputs(inputs, inputFile: inputFile, for: a, console)
    let items = inputs.items
    var groundTruth = inputs.plan.flatMap { plan in
      (try? EvaluationPlan(b.bundle, dataAt: plan.data.path, opening: { _ in b })).flatMap {
        try? GroundTruthComparison((plan, a), ($0, b))
      }
    }
    var progress = RunProgress(
      items.count, failures: FailureCounter(limit: maxFailures, previouslyRecorded: 0), console)
    var failed: [ComparedItem] = []
    let result = comparison.run(items.count) { item in
      if item.error != nil { failed.append(item) }
      return progress.record(item.error, for: items[item.index].name) == .proceed
    } input: { index throws(ModelError) in
      try items[index].read()
    } inspect: { index, first, second in
      groundTruth?.add(first, second, at: index)
    }
    let report = ComparisonReport(
      comparison: comparison, threads: threads, items: items, result: result, failedItems: failed,
      tolerance: thresholds.maxDifference, groundTruth: groundTruth?.result)
    report.write(isJSON: isJSON, console)
    try imageWriter?.write(result.worstItems, of: items)
    let exitCode = progress.finish(isOnlyItem: items.count == 1)
    let thresholdsAreMet = thresholds.areMet(by: result, console)
    return exitCode == .success && !thresholdsAreMet ? .partialFailure : exitCode
  }

  /// Compares two reports or logs of evaluations.
  private func compareReports(_ console: Console) throws(OperationError) -> ExitCode {
    guard inputs.isEmpty, inputFile == nil else {
      throw .usage("reports are compared without data or inputs")
    }
    let first = try BaselineFile(at: bundles.a).onlyResult
    var second = try BaselineFile(at: bundles.b).onlyResult
    second.comparison = try OperationError.rethrowing { () throws(ModelError) in
      try BaselineComparison(second, baseline: first, name: bundles.a)
    }
    if isJSON {
      console.writeOutput(BaselineComparison.json(of: second))
    } else {
      console.printText(
        ["A  \(bundles.a)", "B  \(bundles.b)"]
          + second.comparisonLines(width: console.outputColumns))
    }
    return .success
  }
}
