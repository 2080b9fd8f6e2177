public import TensorIOCore

/// Measures what a model costs, in one or several ways of running it.
///
///     let settings = BenchmarkSetting.all(threads: [1, 2], batches: [1, 8])
///     let results = try Benchmark(picture.modelInput, settings).run { setting in
///       try Model(bundle, options: .init(threads: setting.threads, sessions: setting.concurrency))
///     }
///     for result in results { print(result.setting.threads, result.rate) }
///
/// The settings take turns in many short rounds, each time in the opposite order, so that whatever
/// else the machine does meets all of them alike. What a round gives is a rate; the median of the
/// rounds is the result.
public struct Benchmark: Sendable {
  /// How long a setting is measured.
  public enum Length: Sendable, Hashable {
    /// So many runs in all.
    case runs(Int)
    /// So long in all.
    case time(Duration)
  }

  /// How a benchmark goes about its work.
  public struct Options: Sendable, Hashable {
    /// How long each setting is measured.
    public var length = Length.time(.seconds(2))
    /// How many runs after the first are left out.
    public var warmUp = 5
    /// Into how many rounds the measuring is cut.
    public var rounds = 10

    /// Two seconds a setting, in ten rounds.
    public init() {}
  }

  private let input: ModelInput
  private let settings: [BenchmarkSetting]
  private let options: Options

  /// A benchmark of an input, which every run takes.
  public init(
    _ input: ModelInput, _ settings: [BenchmarkSetting], _ options: Options = Options()
  ) {
    (self.input, self.settings, self.options) = (input, settings, options)
  }

  /// Opens a model for each setting, and measures them in turns.
  ///
  /// When `isCancelled` says so, what has been measured by then is the result; settings that have
  /// not been run are left out.
  public func run(
    isCancelled: @escaping @Sendable () -> Bool = { false },
    opening: (BenchmarkSetting) throws(ModelError) -> Model
  ) throws(ModelError) -> [BenchmarkResult] {
    var candidates: [BenchmarkCandidate] = []
    for setting in settings where !isCancelled() {
      var candidate = try BenchmarkCandidate(setting, input) { () throws(ModelError) in
        try opening(setting)
      }
      try candidate.warmUp(options.warmUp, isCancelled)
      candidates.append(candidate)
    }
    for round in 0..<roundCount where !isCancelled() {
      let order =
        round.isMultiple(of: 2) ? Array(candidates.indices) : candidates.indices.reversed()
      for index in order where !isCancelled() {
        try candidates[index].measure(share(of: round), isCancelled)
      }
    }
    return candidates.compactMap(\.result)
  }

  /// There are no rounds without runs.
  private var roundCount: Int {
    guard case .runs(let count) = options.length else { return max(1, options.rounds) }
    return max(1, min(options.rounds, count))
  }

  /// What of the whole length is a round's.
  private func share(of round: Int) -> Length {
    switch options.length {
    case .time(let duration): .time(duration / roundCount)
    case .runs(let count):
      .runs(count / roundCount + (round < count % roundCount ? 1 : 0))
    }
  }
}
