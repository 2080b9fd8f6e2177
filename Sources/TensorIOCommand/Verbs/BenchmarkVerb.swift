internal import TensorIO
internal import TensorIOCore
internal import TensorIOEvaluation

/// `tensorio benchmark`: what a model costs, in one or several ways of running it.
struct BenchmarkVerb: Verb {
  static let runs = Flag("runs", "N", "runs each configuration N times")
  static let seconds = Flag("seconds", "S", "runs each configuration for S seconds; else for 2")
  static let warmUp = Flag("warm-up", "N", "leaves N runs after the first out; else 5")
  static let threads = Flag("threads", "N,…", "how many threads one run may use: 1 or 1,2,4")
  static let concurrency = Flag(
    "concurrency", "N,…", "how many callers run the model at the same time: 1,2")
  static let batch = Flag("batch", "N,…", "how many items go through the model in one run: 1,8")
  static let plot = Flag("plot", "FILE.png", "draws the rate over threads, or over batch")

  static let page = HelpPage(
    name: "benchmark", summary: "measures how fast a model is, and what memory it takes",
    usage: "BUNDLE [INPUT] [flags]",
    details: """
      INPUT is what `tensorio run` takes; without it, the bundle's first example or sample is used,
      or else zeros and a gray picture. Every combination of --threads, --concurrency and --batch is
      a configuration with a model of its own. They take turns in ten rounds, so that whatever else
      the machine does meets all of them alike; the rate is the median of the rounds. Opening, the
      first run and the warm-up are not among the runs. An interrupt prints what is measured so far.
      """,
    flags: [
      runs, seconds, warmUp, threads, concurrency, batch, plot, .textOrJSON,
      BundleOpening.fit, BundleOpening.filter, BundleOpening.detail,
    ] + BundleOpening.runtimes,
    examples: [
      ("tensorio benchmark digits.tiobundle", "two seconds with all processors"),
      (
        "tensorio benchmark digits.tiobundle three.png --threads 1,2,4 --plot rate.png",
        "how much more threads help, also as a picture"
      ),
      (
        "tensorio benchmark houses.tiobundle --batch 1,8,32 --runs 1000 --format json",
        "several items a run, for a script"
      ),
      (
        "tensorio benchmark digits.tiobundle --threads 1 --concurrency 1,2,4",
        "how many callers one machine can serve"
      ),
    ])

  private let bundle: String
  private let words: [String]
  private let settings: [BenchmarkSetting]
  private let options: Benchmark.Options
  private let opening: BundleOpening
  private let plot: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard let bundle = arguments.words.first else {
      throw .usage("name a bundle: tensorio benchmark \(Self.page.usage)")
    }
    self.bundle = bundle
    words = Array(arguments.words.dropFirst())
    let counts = BundleOpening.threadCounts
    settings = BenchmarkSetting.all(
      threads: try arguments.integers(Self.threads, in: counts) ?? [ThreadCount.standard],
      concurrency: try arguments.integers(Self.concurrency, in: counts) ?? [1],
      batches: try arguments.integers(Self.batch, in: 1...65_536) ?? [1])
    options = try Benchmark.Options(arguments)
    opening = try BundleOpening(arguments, threads: nil)
    plot = arguments.value(Self.plot)
    isJSON = arguments.value(.textOrJSON) == "json"
    try checkPlot()
  }

  private func checkPlot() throws(CommandFailure) {
    guard let plot else { return }
    guard settings.count > 1 else {
      throw .usage("--plot draws a line through several configurations, such as --threads 1,2")
    }
    try ChartFile.check(plot, example: "rate.png")
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let bundle = try described(console)
    let input = try BenchmarkInput(words, of: bundle, console)
    let (isInterrupted, policy) = (console.noteInterrupts(), try console.policy)
    let results: [BenchmarkResult]
    do {
      results = try Benchmark(input.value, settings, options).run(isCancelled: isInterrupted) {
        (setting) throws(ModelError) in
        try open(bundle, setting, policy, console)
      }
    } catch {
      throw CommandFailure(error)
    }
    let report = BenchmarkReport(
      model: bundle.path, name: bundle.name, input: input, options: options, results: results)
    report.write(isJSON: isJSON, console)
    if isInterrupted() { return interrupted(results.count, console) }
    if let plot { try ChartFile.write(report.chart, to: plot) }
    return .ok
  }

  private func described(_ console: Console) throws(CommandFailure) -> ModelBundle {
    Chain.isNamed(bundle)
      ? try opening.model(at: bundle, console).bundle : try BundleOpening.bundle(bundle, console)
  }

  private func open(
    _ bundle: ModelBundle, _ setting: BenchmarkSetting, _ policy: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Model {
    let opening = opening.with(threads: setting.threads, sessions: setting.concurrency)
    let model =
      Chain.isNamed(self.bundle)
      ? try opening.openedChain(at: self.bundle, trust: policy, console)
      : try opening.opened(bundle, console)
    guard setting.batch == 1 || model.takesBatches else {
      throw ModelError(
        .input, .unsupported("--batch on a model whose layers do not begin with -1"))
    }
    return model
  }

  private func interrupted(_ count: Int, _ console: Console) -> ExitCode {
    console.note(
      "tensorio: interrupted; \(count) of \(settings.count) configurations were measured")
    return .interrupted
  }
}

extension Benchmark.Options {
  /// The longest that a configuration is measured, in seconds: a day.
  private static let longest = 86_400.0

  /// What the command line asks for.
  fileprivate init(_ arguments: ParsedArguments) throws(CommandFailure) {
    self.init()
    let flags = (BenchmarkVerb.runs, BenchmarkVerb.seconds)
    guard !arguments.has(flags.0) || !arguments.has(flags.1) else {
      throw .usage("--runs and --seconds both say how long; give one of them")
    }
    warmUp = try arguments.integer(BenchmarkVerb.warmUp, in: 0...1_000_000) ?? warmUp
    if let runs = try arguments.integer(flags.0, in: 1...1_000_000_000) { length = .runs(runs) }
    if let seconds = try arguments.number(flags.1) {
      guard seconds > 0, seconds <= Self.longest else {
        throw .usage("--seconds takes a number above 0, at most a day, got \(seconds)")
      }
      length = .time(.seconds(seconds))
    }
  }
}
