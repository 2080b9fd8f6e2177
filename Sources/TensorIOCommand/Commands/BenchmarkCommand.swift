import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOTasks

/// `tensorio benchmark`: what a model costs, in one or several ways of running it.
struct BenchmarkCommand: Subcommand {
  static let runs = Flag("runs", "N", "runs each configuration N times")
  static let duration = Flag("seconds", "S", "runs each configuration for S seconds; else for 2")
  static let warmupRuns = Flag("warm-up", "N", "leaves N runs after the first out; else 5")
  static let threads = Flag("threads", "N,…", "how many threads one run may use: 1 or 1,2,4")
  static let concurrency = Flag(
    "concurrency", "N,…", "how many callers run the model at the same time: 1,2")
  static let batchSize = Flag("batch", "N,…", "how many items go through the model in one run: 1,8")
  static let plot = Flag("plot", "FILE.png", "draws the rate over threads, or over batch")

  static let helpPage = HelpPage(
    name: "benchmark", summary: "measures how fast a model is, and what memory it takes",
    usage: "BUNDLE [INPUT] [flags]",
    discussion: """
      INPUT is what `tensorio run` takes; without it, the bundle's first example or sample is used,
      or else zeros and a gray picture. Every combination of --threads, --concurrency and --batch is
      a configuration with a model of its own. They take turns in ten rounds, so that whatever else
      the machine does meets all of them alike; the rate is the median of the rounds. Opening, the
      first run and the warm-up are not among the runs. An interrupt prints what is measured so far.
      """,
    flags: [
      runs, duration, warmupRuns, threads, concurrency, batchSize, plot, .textOrJSON,
      ModelOpener.fit, ModelOpener.resample, ModelOpener.decodeScale,
    ] + ModelOpener.runtimeFlags,
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
  private let inputs: [String]
  private let configurations: [BenchmarkConfiguration]
  private let options: Benchmark.Options
  private let opener: ModelOpener
  private let plot: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw .usage("name a bundle: tensorio benchmark \(Self.helpPage.usage)")
    }
    self.bundle = bundle
    inputs = Array(arguments.positionals.dropFirst())
    let counts = ModelOpener.threadRange
    configurations = BenchmarkConfiguration.combinations(
      threads: try arguments.integers(Self.threads, in: counts) ?? [ThreadCount.defaultCount],
      concurrency: try arguments.integers(Self.concurrency, in: counts) ?? [1],
      batchSizes: try arguments.integers(Self.batchSize, in: 1...65_536) ?? [1])
    options = try Benchmark.Options(arguments)
    opener = try ModelOpener(arguments, threads: nil)
    plot = arguments.value(Self.plot)
    isJSON = arguments.value(.textOrJSON) == "json"
    try checkPlot()
  }

  private func checkPlot() throws(OperationError) {
    guard let plot else { return }
    guard configurations.count > 1 else {
      throw .usage("--plot draws a line through several configurations, such as --threads 1,2")
    }
    try ChartFile.validatePath(plot, example: "rate.png")
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try loadBundle(console)
    let input = try BenchmarkInput(inputs, of: bundle, console)
    let (isInterrupted, policy) = (console.observeInterrupts(), try console.trustPolicy)
    let results: [BenchmarkResult]
    do {
      results = try Benchmark(input.value, configurations, options).run(isCancelled: isInterrupted) {
        (setting) throws(ModelError) in
        try open(bundle, setting, policy, console)
      }
    } catch {
      throw OperationError(error)
    }
    let report = BenchmarkReport(
      model: bundle.path, modelName: bundle.name, input: input, options: options, results: results)
    report.write(isJSON: isJSON, console)
    if isInterrupted() { return reportInterruption(results.count, console) }
    if let plot { try ChartFile.write(report.chart, to: plot) }
    return .success
  }

  private func loadBundle(_ console: Console) throws(OperationError) -> ModelBundle {
    Chain.hasChainExtension(bundle)
      ? try opener.model(at: bundle, console).bundle : try ModelOpener.bundle(bundle, console)
  }

  private func open(
    _ bundle: ModelBundle, _ setting: BenchmarkConfiguration, _ policy: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Model {
    let opening = opener.with(threads: setting.threads, sessions: setting.concurrency)
    let model =
      Chain.hasChainExtension(self.bundle)
      ? try opening.openChainAsModel(at: self.bundle, trust: policy, console)
      : try opening.open(bundle, console)
    guard setting.batchSize == 1 || model.supportsBatching else {
      throw ModelError(
        .input, .unsupported("--batch on a model whose layers do not begin with -1"))
    }
    return model
  }

  private func reportInterruption(_ count: Int, _ console: Console) -> ExitCode {
    console.info(
      "tensorio: interrupted; \(count) of \(configurations.count) configurations were measured")
    return .interrupted
  }
}

extension Benchmark.Options {
  /// The longest that a configuration is measured, in seconds: a day.
  private static let maxDuration = 86_400.0

  /// What the command line asks for.
  fileprivate init(_ arguments: ParsedArguments) throws(OperationError) {
    self.init()
    let flags = (BenchmarkCommand.runs, BenchmarkCommand.duration)
    guard !arguments.has(flags.0) || !arguments.has(flags.1) else {
      throw .usage("--runs and --seconds both say how long; give one of them")
    }
    warmUpRuns = try arguments.integer(BenchmarkCommand.warmupRuns, in: 0...1_000_000) ?? warmUpRuns
    if let runs = try arguments.integer(flags.0, in: 1...1_000_000_000) { measurementLength = .runs(runs) }
    if let seconds = try arguments.number(flags.1) {
      guard seconds > 0, seconds <= Self.maxDuration else {
        throw .usage("--seconds takes a number above 0, at most a day, got \(seconds)")
      }
      measurementLength = .time(.seconds(seconds))
    }
  }
}
