public import TensorIOBundle
public import TensorIOCore
import TensorIOImage

/// Measures throughput, latency and memory of a model in one or several configurations.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let bundle = try ModelBundle(at: "mobilenet.tiobundle")
/// let image = try ImageBuffer(contentsOf: "cat.jpg")
/// let configurations = BenchmarkConfiguration.combinations(threads: [1, 2], batchSizes: [1, 8])
/// let results = try Benchmark(image.modelInput, configurations).run {
///   configuration throws(ModelError) in
///   try Model(
///     bundle,
///     options: .init(threads: configuration.threads, sessions: configuration.concurrency))
/// }
/// for result in results { print(result.configuration.threads, result.throughput) }
/// ```
///
/// Configurations are measured in interleaved rounds with alternating order, so that other load on
/// the machine affects all of them alike. The throughput is the median of the rounds.
public struct Benchmark: Sendable {
  /// The length of the measurement of a configuration.
  public enum Length: Sendable, Hashable {
    /// A total number of runs.
    case runs(Int)
    /// A total duration.
    case time(Duration)
  }

  /// Options of a benchmark.
  public struct Options: Sendable, Hashable {
    /// The length of the measurement of each configuration.
    public var measurementLength = Length.time(.seconds(2))
    /// The number of runs after the first that are not measured.
    public var warmUpRuns = 5
    /// The number of rounds.
    public var rounds = 10

    /// Creates options for two seconds per configuration in ten rounds.
    public init() {}
  }

  private let input: ModelInput
  private let configurations: [BenchmarkConfiguration]
  private let options: Options

  /// Creates a benchmark.
  ///
  /// - Parameters:
  ///   - input: The input of every run.
  ///   - configurations: The configurations to measure.
  ///   - options: The options.
  public init(
    _ input: ModelInput, _ configurations: [BenchmarkConfiguration],
    _ options: Options = Options()
  ) {
    (self.input, self.configurations, self.options) = (input, configurations, options)
  }

  /// Opens a model for each configuration and measures them in turns.
  ///
  /// - Parameters:
  ///   - isCancelled: Returns `true` to stop early.
  ///   - opening: Opens the model for a configuration.
  /// - Returns: The results of all configurations that were measured before cancellation.
  /// - Throws: The error of `opening`, or a `ModelError` if a run fails.
  public func run(
    isCancelled: @escaping @Sendable () -> Bool = { false },
    opening: (BenchmarkConfiguration) throws(ModelError) -> Model
  ) throws(ModelError) -> [BenchmarkResult] {
    var candidates: [BenchmarkCandidate] = []
    for configuration in configurations where !isCancelled() {
      var candidate = try BenchmarkCandidate(configuration, input) { () throws(ModelError) in
        try opening(configuration)
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

  /// The number of rounds, which does not exceed the number of runs.
  private var roundCount: Int {
    guard case .runs(let count) = options.measurementLength else { return max(1, options.rounds) }
    return max(1, min(options.rounds, count))
  }

  /// Returns the length of a round.
  private func length(ofRound round: Int) -> Length {
    switch options.measurementLength {
    case .time(let duration): .time(duration / roundCount)
    case .runs(let count):
      .runs(count / roundCount + (round < count % roundCount ? 1 : 0))
    }
  }
}

/// A configuration in which a model is run.
public struct BenchmarkConfiguration: Sendable, Hashable {
  /// The number of threads per run.
  public var threads: Int
  /// The number of concurrent callers, each with its own session.
  public var concurrency: Int
  /// The number of items per run.
  public var batchSize: Int

  /// Creates a configuration.
  public init(threads: Int, concurrency: Int = 1, batchSize: Int = 1) {
    (self.threads, self.concurrency, self.batchSize) = (threads, concurrency, batchSize)
  }

  /// Returns all distinct combinations of the given values.
  public static func combinations(
    threads: [Int], concurrency: [Int] = [1], batchSizes: [Int] = [1]
  ) -> [BenchmarkConfiguration] {
    var known: Set<BenchmarkConfiguration> = []
    return threads.flatMap { threads in
      concurrency.flatMap { concurrency in
        batchSizes.map {
          BenchmarkConfiguration(threads: threads, concurrency: concurrency, batchSize: $0)
        }
      }
    }.filter { known.insert($0).inserted }
  }
}

/// The measurements of one configuration.
public struct BenchmarkResult: Sendable, Hashable {
  /// The configuration.
  public let configuration: BenchmarkConfiguration
  /// The number of measured runs.
  public let runCount: Int
  /// Items per second in each round.
  public let roundThroughputs: [Double]
  /// The latency of each stage: image, input, run, output and total.
  package let stageLatencies: [StageLatency]
  /// The time to open the model, in milliseconds.
  public let loadMilliseconds: Double
  /// The duration of the first run, in milliseconds.
  public let firstRunMilliseconds: Double
  /// The growth of resident memory during opening and the first run, in bytes.
  public let loadMemoryGrowth: Int?
  /// The growth of resident memory during the measured runs, in bytes.
  public let runMemoryGrowth: Int?
  /// The resident memory after the last round, with the models of all configurations open, in
  /// bytes.
  public let residentBytes: Int?

  /// Items per second: the median of all rounds.
  public var throughput: Double { roundThroughputs.median ?? 0 }
}

extension [Double] {
  /// The median; `nil` for an empty array.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

extension ModelInput {
  /// Returns a dummy input for some layers: gray images, zeros and empty strings.
  ///
  /// Dimensions whose length each value determines have 16 elements.
  /// It is suitable for measuring time unless the model's work depends on the values.
  public static func dummy(for layers: [Layer]) throws(ModelError) -> ModelInput {
    var values: [String: LayerValue] = [:]
    for layer in layers { values[layer.name] = try layer.dummyValue() }
    return .named(values)
  }
}

extension Layer {
  /// The maximum number of elements of a dummy value.
  private static let maxDummyElements = 1 << 28

  /// The length of dimensions that each value determines.
  private static let dummyLength = 16

  /// The shape of one item, with lengths for all dimensions.
  private var dummyShape: [Int] {
    shape.dimensions.enumerated().map { axis, length in
      length ?? (axis == 0 ? 1 : Self.dummyLength)
    }
  }

  fileprivate func dummyValue() throws(ModelError) -> LayerValue {
    guard let count = dummyShape.checkedProduct, count <= Self.maxDummyElements else {
      throw ModelError(.input, .unsupported("a dummy input for a layer of this size"), layer: name)
    }
    switch kind {
    case .image(let image): return try image.dummyValue()
    case .string(let string) where string.elementType == .string:
      return .strings(Strings(Array(repeating: "", count: count)))
    case .string(let string):
      return .bytes(Array(repeating: 0, count: count * (string.elementType.byteCount ?? 1)))
    case .text: return .strings(["text"])
    case .audio(let audio):
      let samples = audio.sampleCount(filling: TensorShape(dummyShape))
      return .numbers(Numbers(.floats(Array(repeating: 0, count: samples))))
    case .array, .scalar:
      let zeros = Numbers.Elements.floats(Array(repeating: 0, count: count))
      return .numbers(shape.hasVariableLength ? Numbers(zeros, shape: dummyShape) : Numbers(zeros))
    }
  }
}

extension ImageLayer {
  /// Returns a gray image, or several if the batch size is fixed.
  fileprivate func dummyValue() throws(ModelError) -> LayerValue {
    let value: LayerValue
    do throws(ImageError) {
      value = .image(
        try ImageBuffer.filled(width: width, height: height, red: 128, green: 128, blue: 128))
    } catch {
      throw ModelError(.input, .image(error))
    }
    guard shape.dimensions.count == 4, let count = shape.dimensions[0], count > 1 else {
      return value
    }
    return .list(Array(repeating: value, count: count))
  }
}
