public import TensorIOBundle
public import TensorIOCore
import TensorIOImage

/// Measures what a model costs, in one or several ways of running it.
///
///     let settings = BenchmarkConfiguration.all(threads: [1, 2], batches: [1, 8])
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
    public var measurementLength = Length.time(.seconds(2))
    /// How many runs after the first are left out.
    public var warmUpRuns = 5
    /// Into how many rounds the measuring is cut.
    public var rounds = 10

    /// Two seconds a setting, in ten rounds.
    public init() {}
  }

  private let input: ModelInput
  private let configurations: [BenchmarkConfiguration]
  private let options: Options

  /// A benchmark of an input, which every run takes.
  public init(
    _ input: ModelInput, _ settings: [BenchmarkConfiguration], _ options: Options = Options()
  ) {
    (self.input, self.configurations, self.options) = (input, settings, options)
  }

  /// Opens a model for each setting, and measures them in turns.
  ///
  /// When `isCancelled` says so, what has been measured by then is the result; settings that have
  /// not been run are left out.
  public func run(
    isCancelled: @escaping @Sendable () -> Bool = { false },
    opening: (BenchmarkConfiguration) throws(ModelError) -> Model
  ) throws(ModelError) -> [BenchmarkResult] {
    var candidates: [BenchmarkCandidate] = []
    for setting in configurations where !isCancelled() {
      var candidate = try BenchmarkCandidate(setting, input) { () throws(ModelError) in
        try opening(setting)
      }
      try candidate.warmUp(options.warmUpRuns, isCancelled)
      candidates.append(candidate)
    }
    for round in 0..<roundCount where !isCancelled() {
      let order =
        round.isMultiple(of: 2) ? Array(candidates.indices) : candidates.indices.reversed()
      for index in order where !isCancelled() {
        try candidates[index].measure(length(ofRound: round), isCancelled)
      }
    }
    return candidates.compactMap(\.result)
  }

  /// There are no rounds without runs.
  private var roundCount: Int {
    guard case .runs(let count) = options.measurementLength else { return max(1, options.rounds) }
    return max(1, min(options.rounds, count))
  }

  /// What of the whole length is a round's.
  private func length(ofRound round: Int) -> Length {
    switch options.measurementLength {
    case .time(let duration): .time(duration / roundCount)
    case .runs(let count):
      .runs(count / roundCount + (round < count % roundCount ? 1 : 0))
    }
  }
}

/// One way of running a model.
public struct BenchmarkConfiguration: Sendable, Hashable {
  /// How many threads one run may use.
  public var threads: Int
  /// How many callers run the model at the same time, each in a session of its own.
  public var concurrency: Int
  /// How many items go through the model in one run.
  public var batchSize: Int

  /// A way of running a model.
  public init(threads: Int, concurrency: Int = 1, batchSize: Int = 1) {
    (self.threads, self.concurrency, self.batchSize) = (threads, concurrency, batchSize)
  }

  /// All ways that some numbers make up together, each once.
  public static func combinations(
    threads: [Int], concurrency: [Int] = [1], batchSizes: [Int] = [1]
  ) -> [BenchmarkConfiguration] {
    var known: Set<BenchmarkConfiguration> = []
    return threads.flatMap { threads in
      concurrency.flatMap { concurrency in
        batchSizes.map { BenchmarkConfiguration(threads: threads, concurrency: concurrency, batchSize: $0) }
      }
    }.filter { known.insert($0).inserted }
  }
}

/// What a model costs in one of several ways of running it.
public struct BenchmarkResult: Sendable, Hashable {
  /// The way of running it.
  public let configuration: BenchmarkConfiguration
  /// How often the model was run, warm-up aside.
  public let runCount: Int
  /// Items a second in each round, in their order.
  public let roundThroughputs: [Double]
  /// What each stage of a run took, in order: picture, input, run, output, total.
  public let stageLatencies: [StageLatency]
  /// What opening the model took, in milliseconds.
  public let loadMilliseconds: Double
  /// What its very first run took, in milliseconds.
  public let firstRunMilliseconds: Double
  /// By how many bytes the process grew while the model was opened and first run.
  public let loadMemoryGrowth: Int?
  /// By how many bytes the process grew during the runs that count.
  public let runMemoryGrowth: Int?
  /// How many bytes the process had after the last round, with the models of all settings open.
  public let residentBytes: Int?

  /// Items a second: the median of all rounds.
  public var throughput: Double { roundThroughputs.median ?? 0 }
}

extension [Double] {
  /// The middle one, or the mean of the two in the middle; `nil` without numbers.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

extension ModelInput {
  /// What some layers take when there is nothing else to give them: gray pictures, zeros, and texts
  /// without a letter.
  ///
  /// It is as good as any input for measuring time, unless a model's work depends on what it sees.
  public static func dummy(for layers: [Layer]) throws(ModelError) -> ModelInput {
    var values: [String: LayerValue] = [:]
    for layer in layers { values[layer.name] = try layer.dummyValue() }
    return .named(values)
  }
}

extension Layer {
  /// The most elements that are made of nothing.
  private static let maxDummyElements = 1 << 28

  fileprivate func dummyValue() throws(ModelError) -> LayerValue {
    guard let count = elementCount, count <= Self.maxDummyElements else {
      throw ModelError(.input, .unsupported("a layer of this size"), layer: name)
    }
    switch kind {
    case .image(let image): return try image.dummyValue()
    case .string(let string) where string.elementType == .string:
      return .strings(Array(repeating: [], count: count))
    case .string(let string):
      return .bytes(Array(repeating: 0, count: count * (string.elementType.byteCount ?? 1)))
    case .array, .scalar:
      return .numbers(Numbers(.floats(Array(repeating: 0, count: count))))
    }
  }
}

extension ImageLayer {
  /// A gray picture, or several where the batch is fixed.
  fileprivate func dummyValue() throws(ModelError) -> LayerValue {
    let picture: LayerValue
    do throws(ImageError) {
      picture = .image(
        try ImageBuffer.filled(width: width, height: height, red: 128, green: 128, blue: 128))
    } catch {
      throw ModelError(.input, .image(error))
    }
    guard shape.dimensions.count == 4, let count = shape.dimensions[0], count > 1 else { return picture }
    return .list(Array(repeating: picture, count: count))
  }
}
