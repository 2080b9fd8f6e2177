internal import TensorIO
internal import TensorIOCore
internal import TensorIOEvaluation

/// `tensorio compare`: how far the answers of two models lie apart, and their times.
struct CompareVerb: Verb {
  static let batch = Flag("batch", "FILE", "compares on every line of FILE, one JSON value a line")
  static let threads = Flag(
    "threads", "N[,N]", "how many threads one run may use: of both, or of A and of B")
  static let tolerance = Flag(
    "tolerance", "X", "exits 1 where any two numbers differ by more than X")
  static let agreement = Flag(
    "agreement", "SHARE", "exits 1 where fewer answers than SHARE, such as 0.99, are the same")
  static let topItems = Flag("top-items", "N", "lists the N items that differ most; else 10")
  static let save = Flag(
    "save", "DIR", "draws the answers for those as DIR/<stem>-a.png and -b.png")

  static let page = HelpPage(
    name: "compare", summary: "says how far the answers of two models lie apart, and their times",
    usage: "A B [DATA|INPUTS…] [flags]",
    details: """
      A and B are bundles: float and quantized, of one runtime and of another, or the same one twice
      with --threads 1,4. Outputs are compared by name, or by order where names differ. DATA is a
      folder of pictures, with or without a folder per label, or a .csv, .tsv or .ndjson file; INPUTS
      are what `tensorio run` takes; without them, A's own samples. Labels agree when the best one is
      the same, all else when it is equal, up to --tolerance. Exit code 1 beyond --tolerance, below
      --agreement, or when items fail. An interrupt prints what is compared so far.
      """,
    flags: [
      tolerance, agreement, topItems, save, .textOrJSON, batch, threads, BundleOpening.fit,
      BundleOpening.filter, BundleOpening.detail, FailureCount.flag,
    ] + BundleOpening.runtimes,
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
  private let words: [String]
  private let batch: String?
  private let threads: (a: Int, b: Int)
  private let limits: ComparisonLimits
  private let options: Comparison.Options
  private let folder: String?
  private let maxFailures: Int?
  private let opening: BundleOpening
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard arguments.words.count >= 2 else {
      throw .usage("name two bundles: tensorio compare \(Self.page.usage)")
    }
    bundles = (arguments.words[0], arguments.words[1])
    words = Array(arguments.words.dropFirst(2))
    batch = arguments.value(Self.batch)
    guard batch == nil || words.isEmpty else { throw .usage("--batch takes the place of inputs") }
    threads = try Self.threads(arguments)
    limits = try ComparisonLimits(arguments)
    var options = Comparison.Options()
    options.tolerance = limits.tolerance ?? 0
    options.worst = try arguments.integer(Self.topItems, in: 0...1_000_000) ?? options.worst
    self.options = options
    folder = arguments.value(Self.save)
    maxFailures = try arguments.integer(FailureCount.flag, in: 1...(.max))
    opening = try BundleOpening(arguments, threads: nil)
    isJSON = arguments.value(.textOrJSON) == "json"
  }

  private static func threads(
    _ arguments: ParsedArguments
  ) throws(CommandFailure) -> (a: Int, b: Int) {
    let counts = try arguments.integers(Self.threads, in: BundleOpening.threadCounts)
    guard let first = counts?.first, let last = counts?.last else {
      return (ThreadCount.standard, ThreadCount.standard)
    }
    guard counts?.count ?? 0 <= 2 else {
      throw .usage("--threads takes one number, or one for A and one for B, such as 1,4")
    }
    return (first, last)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let a = try opening.with(threads: threads.a).model(at: bundles.a, console)
    let b = try opening.with(threads: threads.b).model(at: bundles.b, console)
    let comparison: Comparison
    do {
      comparison = try Comparison(a, b, options)
    } catch {
      throw CommandFailure(error)
    }
    let saving = try folder.map { folder throws(CommandFailure) in
      try DifferenceFolder(folder, a, b)
    }
    let items = try ComparedItems(words, batch: batch, for: a, console).list
    var work = RunReport(
      items.count, failures: FailureCount(limit: maxFailures, recorded: 0), console)
    var failed: [ComparedItem] = []
    let result = comparison.run(items.count) { item in
      if item.failure != nil { failed.append(item) }
      return work.add(item.failure, of: items[item.index].name) == .more
    } input: { index throws(ModelError) in
      try items[index].read()
    }
    let report = ComparisonReport(
      comparison: comparison, threads: threads, items: items, result: result, failed: failed)
    report.write(isJSON: isJSON, console)
    try saving?.save(result.worst, of: items)
    let code = work.finish(isOnlyItem: items.count == 1)
    return limits.check(result, console) && code == .ok ? .ok : code == .ok ? .fellShort : code
  }
}
