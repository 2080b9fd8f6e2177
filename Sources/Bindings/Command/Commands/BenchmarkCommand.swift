import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// `tensorio benchmark`: measures the speed and memory use of a model.
struct BenchmarkCommand: Subcommand {
  static let runs = Flag("runs", "N", "Number of runs per configuration")
  static let duration = Flag("duration", "SECONDS", "Time per configuration (default: 2)")
  static let warmupRuns = Flag("warmup-runs", "N", "Number of unmeasured warm-up runs (default: 5)")
  static let threads = Flag("threads", "N,…", "Numbers of threads per run, such as 1,2,4")
  static let concurrency = Flag("concurrency", "N,…", "Numbers of concurrent callers (default: 1)")
  static let batchSize = Flag("batch-size", "N,…", "Numbers of items per run (default: 1)")
  static let plot = Flag("plot", "FILE.png", "Write a chart of the throughput")
  static let operators = Flag("operators", "Show how long each operator of the model takes")
  static let trace = Flag("trace", "FILE.json", "With --operators, write a trace for Chrome")

  static let helpPage = HelpPage(
    name: "benchmark", summary: "Measure the speed and memory use of a model",
    usage: "[options] <bundle> [<input> ...]",
    discussion: """
      <input> is any input of `tensorio run`. Without inputs, the bundle's first example or sample is
      used; if it has none, zeros or a gray image.

      Each combination of --threads, --concurrency and --batch-size is one configuration with its
      own model. Configurations are measured alternately in ten rounds, and the throughput is the
      median of the rounds. Loading, the first run and warm-up runs are not included. An interrupt
      prints the results so far.

      With --operators, the operators of a LiteRT model are recorded over 50 runs, or --runs, with one
      configuration. Recording makes runs slower; the shares are more meaningful than the times.
      """,
    flags: [
      runs, duration, warmupRuns, threads, concurrency, batchSize, plot, operators, trace,
      .textOrJSON,
      ModelOpener.fit, ModelOpener.resample, ModelOpener.decodeScale, ModelOpener.function,
    ] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio benchmark digits.tiobundle", "Run for two seconds with all processors"),
      (
        "tensorio benchmark digits.tiobundle three.png --threads 1,2,4 --plot rate.png",
        "Compare thread counts, and draw a chart"
      ),
      (
        "tensorio benchmark houses.tiobundle --batch-size 1,8,32 --runs 1000 --format json",
        "Compare batch sizes, and print JSON"
      ),
      (
        "tensorio benchmark digits.tiobundle --threads 1 --concurrency 1,2,4",
        "Compare numbers of concurrent callers"
      ),
      (
        "tensorio benchmark digits.tiobundle --operators --threads 1 --trace digits.json",
        "Show the slowest operators, and write a trace for chrome://tracing or Perfetto"
      ),
    ])

  private let bundle: String
  private let inputs: [String]
  private let configurations: [BenchmarkConfiguration]
  private let options: Benchmark.Options
  private let opener: ModelOpener
  private let plot: String?
  private let profilesOperators: Bool
  private let trace: String?
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw Self.helpPage.usageError("missing <bundle>")
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
    profilesOperators = arguments.has(Self.operators)
    trace = arguments.value(Self.trace)
    try checkPlot()
    try checkProfiling(arguments)
  }

  private func checkProfiling(_ arguments: ParsedArguments) throws(OperationError) {
    guard profilesOperators else {
      guard trace == nil else { throw .usage("--trace requires --operators") }
      return
    }
    guard configurations.count == 1, configurations[0].batchSize == 1 else {
      throw .usage("--operators takes one configuration with a batch size of 1")
    }
    for flag in [Self.duration, Self.plot] where arguments.has(flag) {
      throw .usage("--operators and --\(flag.name) are mutually exclusive")
    }
  }

  private func checkPlot() throws(OperationError) {
    guard let plot else { return }
    guard configurations.count > 1 else {
      throw .usage("--plot requires several configurations, such as --threads 1,2")
    }
    try ChartFile.validatePath(plot, example: "rate.png")
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try opener.bundle(bundle, console)
    let input = try BenchmarkInput(inputs, of: bundle, console)
    guard !profilesOperators else { return try profile(bundle, input, console) }
    let isInterrupted = console.observeInterrupts()
    let results: [BenchmarkResult]
    do {
      results = try Benchmark(input.value, configurations, options).run(isCancelled: isInterrupted)
      {
        (configuration) throws(ModelError) in
        try open(bundle, configuration, console)
      }
    } catch {
      throw OperationError(error)
    }
    let report = BenchmarkReport(
      model: bundle.path, modelName: bundle.name, input: input, options: options, results: results)
    // A closed standard output ends the process, and must not lose the file.
    if let plot, !isInterrupted() {
      try ChartFile.write(report.results.throughputChart(title: report.modelName), to: plot)
    }
    report.write(isJSON: isJSON, console)
    return isInterrupted() ? reportInterruption(results.count, console) : .success
  }

  /// Records and prints the operators of the model.
  private func profile(
    _ bundle: ModelBundle, _ input: BenchmarkInput, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let runs = if case .runs(let count) = options.measurementLength { count } else { 50 }
    let profile: OperatorProfile
    do throws(ModelError) {
      let model = try open(bundle, configurations[0], console)
      profile = try OperatorProfile(of: model, input.value, runs: runs)
    } catch {
      throw OperationError(error)
    }
    if let trace {
      do throws(FileError) {
        try AtomicFile.write(profile.chromeTrace, to: trace)
      } catch {
        throw .unwritable(trace, error.message)
      }
      console.info("tensorio: wrote \(trace)")
    }
    OperatorProfileReport(modelName: bundle.name, input: input, profile: profile)
      .write(isJSON: isJSON, console)
    return .success
  }

  private func open(
    _ bundle: ModelBundle, _ configuration: BenchmarkConfiguration, _ console: Console
  ) throws(ModelError) -> Model {
    let opener = opener.with(
      threads: configuration.threads, sessions: configuration.concurrency)
    let model = try opener.open(bundle, console)
    guard configuration.batchSize == 1 || model.supportsBatching else {
      throw ModelError(
        .input, .unsupported("a batch size above 1 for a model without a batch dimension (-1)"))
    }
    return model
  }

  private func reportInterruption(_ count: Int, _ console: Console) -> ExitCode {
    console.info(
      "tensorio: interrupted; measured \(count) of \(configurations.count) configurations")
    return .interrupted
  }
}

extension Benchmark.Options {
  /// The maximum duration per configuration, in seconds.
  private static let maxDuration = 86_400.0

  /// Creates options from a command line.
  fileprivate init(_ arguments: ParsedArguments) throws(OperationError) {
    self.init()
    let flags = (BenchmarkCommand.runs, BenchmarkCommand.duration)
    guard !arguments.has(flags.0) || !arguments.has(flags.1) else {
      throw .usage("--runs and --duration are mutually exclusive")
    }
    warmUpRuns = try arguments.integer(BenchmarkCommand.warmupRuns, in: 0...1_000_000) ?? warmUpRuns
    if let runs = try arguments.integer(flags.0, in: 1...1_000_000_000) {
      measurementLength = .runs(runs)
    }
    if let seconds = try arguments.number(flags.1) {
      guard seconds > 0, seconds <= Self.maxDuration else {
        throw .usage("--duration takes a number of seconds above 0 and up to 86400, got \(seconds)")
      }
      measurementLength = .time(.seconds(seconds))
    }
  }
}
