import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOSystem

/// `tensorio compare`: how far the answers of two models lie apart, and their times.
struct CompareCommand: Subcommand {
  static let inputFile = Flag("batch", "FILE", "compares on every line of FILE, one JSON value a line")
  static let threads = Flag(
    "threads", "N[,N]", "how many threads one run may use: of both, or of A and of B")
  static let tolerance = Flag(
    "tolerance", "X", "exits 1 where any two numbers differ by more than X")
  static let minAgreement = Flag(
    "agreement", "SHARE", "exits 1 where fewer answers than SHARE, such as 0.99, are the same")
  static let worstItems = Flag("top-items", "N", "lists the N items that differ most; else 10")
  static let annotate = Flag(
    "save", "DIR", "draws the answers for those as DIR/<stem>-a.png and -b.png")

  static let helpPage = HelpPage(
    name: "compare", summary: "says how far the answers of two models lie apart, and their times",
    usage: "A B [DATA|INPUTS…] [flags]",
    discussion: """
      A and B are bundles: float and quantized, of one runtime and of another, or the same one twice
      with --threads 1,4. Outputs are compared by name, or by order where names differ. DATA is a
      folder of pictures, with or without a folder per label, or a .csv, .tsv or .ndjson file; INPUTS
      are what `tensorio run` takes; without them, A's own samples. Labels agree when the best one is
      the same, all else when it is equal, up to --tolerance. Exit code 1 beyond --tolerance, below
      --agreement, or when items fail. An interrupt prints what is compared so far.
      """,
    flags: [
      tolerance, minAgreement, worstItems, annotate, .textOrJSON, inputFile, threads, ModelOpener.fit,
      ModelOpener.resample, ModelOpener.decodeScale, FailureCounter.flag,
    ] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio compare digits.tiobundle digits-quantized.tiobundle held-out/ --agreement 0.99",
        "what quantizing costs, as a check for a script"
      ),
      (
        "tensorio compare model-tflite.tiobundle model-tf.tiobundle cat.jpg --tolerance 1e-4",
        "whether two runtimes compute the same"
      ),
      (
        "tensorio compare digits.tiobundle digits.tiobundle held-out/ --threads 1,4",
        "whether more threads are faster"
      ),
      (
        "tensorio compare old.tiobundle new.tiobundle photos/ --top-items 20 --save differing/",
        "pictures of what has changed"
      ),
    ])

  private let bundles: (a: String, b: String)
  private let inputs: [String]
  private let inputFile: String?
  private let threads: (a: Int, b: Int)
  private let limits: ComparisonThresholds
  private let options: ModelComparison.Options
  private let annotateFolder: String?
  private let maxFailures: Int?
  private let opener: ModelOpener
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count >= 2 else {
      throw .usage("name two bundles: tensorio compare \(Self.helpPage.usage)")
    }
    bundles = (arguments.positionals[0], arguments.positionals[1])
    inputs = Array(arguments.positionals.dropFirst(2))
    inputFile = arguments.value(Self.inputFile)
    guard inputFile == nil || inputs.isEmpty else { throw .usage("--batch takes the place of inputs") }
    threads = try Self.threads(arguments)
    limits = try ComparisonThresholds(arguments)
    var options = ModelComparison.Options()
    options.tolerance = limits.maxDifference ?? 0
    options.maxWorstItems = try arguments.integer(Self.worstItems, in: 0...1_000_000) ?? options.maxWorstItems
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
      throw .usage("--threads takes one number, or one for A and one for B, such as 1,4")
    }
    return (first, last)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let a = try opener.with(threads: threads.a).model(at: bundles.a, console)
    let b = try opener.with(threads: threads.b).model(at: bundles.b, console)
    let comparison: ModelComparison
    do {
      comparison = try ModelComparison(a, b, options)
    } catch {
      throw OperationError(error)
    }
    let saving = try annotateFolder.map { folder throws(OperationError) in
      try DifferenceImageWriter(folder, a, b)
    }
    let items = try ComparisonInputs(inputs, batch: inputFile, for: a, console).items
    var work = RunProgress(
      items.count, failures: FailureCounter(limit: maxFailures, previouslyRecorded: 0), console)
    var failed: [ComparedItem] = []
    let result = comparison.run(items.count) { item in
      if item.error != nil { failed.append(item) }
      return work.record(item.error, for: items[item.index].name) == .proceed
    } input: { index throws(ModelError) in
      try items[index].read()
    }
    let report = ComparisonReport(
      comparison: comparison, threads: threads, items: items, result: result, failedItems: failed)
    report.write(isJSON: isJSON, console)
    try saving?.write(result.worstItems, of: items)
    let code = work.finish(isOnlyItem: items.count == 1)
    return limits.areMet(by: result, console) && code == .success ? .success : code == .success ? .partialFailure : code
  }
}
