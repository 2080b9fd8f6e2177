public import TensorIOBundle
public import TensorIOCore
import TensorIOJSON

/// Wake words and other words that a model knows: when a recording or a stream has them.
public struct KeywordTask: ModelTask {
  static let threshold = TaskSetting.number(
    "threshold", in: .fraction, default: 0.5, "The score from which a word is heard.")
  static let minSteps = TaskSetting.count(
    "min_steps", default: 1,
    "The number of scores in a row that have to reach the threshold.")
  static let meanSteps = TaskSetting.count(
    "mean_steps", default: 1,
    "The number of outputs whose mean is a score; until there are as many, scores are 0.")
  static let pause = TaskSetting.number(
    "pause", in: .nonnegative, default: 2,
    "The time after a word during which it is not heard again, in seconds.")
  static let words = TaskSetting.texts(
    "words", "The words, one for each score; without them, the labels or the name of the output."
  ).example("[\"hey jarvis\"]")

  /// The format of the task.
  public static let format = TaskFormat(
    "keyword", requiredOutputs: [.role(.scores)],
    interface: TaskInterface(
      "keywords", .init("keywords", type: "Keywords", "The words that were heard."))
  ) {
    threshold
    minSteps
    meanSteps
    pause
    words
  }

  /// How words follow from scores.
  public var options: KeywordOptions
  private let output: String
  private let labels: [String]
  /// The numbers of samples between windows, and of those that are new in a window.
  private let hop: Int
  private let length: Int
  private let sampleRate: Double

  /// Creates the task of a model.
  ///
  /// - Throws: A ``ModelError`` if the model has no input for sound with a fixed length.
  public init(_ model: ModelInfo) throws(ModelError) {
    output = try model.output(.scores)
    let layers = model.description.inputs.compactMap { layer -> AudioLayer? in
      if case .audio(let audio) = layer.kind { audio } else { nil }
    }
    guard let layer = layers.first, layers.count == 1, let hop = layer.windowHop else {
      throw ModelError(
        .bundle,
        .unmetRequirement("the task requires an input of the type 'audio' with a fixed length"),
        file: model.bundle.path)
    }
    (self.hop, sampleRate) = (hop, Double(layer.sampleRate))
    length = max(1, layer.sampleCount(filling: layer.shape) - layer.context)
    let words = model[Self.words]
    labels = words.isEmpty ? try model.labels() : words
    options = KeywordOptions()
    options.threshold = Self.threshold.double(in: model.task)
    options.minSteps = model[Self.minSteps]
    options.meanSteps = model[Self.meanSteps]
    options.pause = Self.pause.double(in: model.task)
  }

  /// Returns the words that are heard.
  public func result(of output: ModelOutput) throws(ModelError) -> Keywords {
    // A window of a stream has no windows of its own.
    let windows =
      output.windows.isEmpty
      ? [(end: Double(length) / sampleRate, layers: output.layers)]
      : output.windows.map { (end: $0.end, layers: $0.layers) }
    var (outputs, ends): ([[Float]], [Double]) = ([], [])
    for window in windows {
      guard let value = window.layers.first(where: { $0.name == self.output })?.value,
        let scores = value.classification?.scores ?? value.numbers?.floats, !scores.isEmpty
      else {
        throw ModelError(.output, .failed("the scores are no numbers"), layer: self.output)
      }
      outputs.append(scores)
      ends.append(window.end)
    }
    let count = outputs.map(\.count).max() ?? 0
    return keywords(
      outputs, ends, labels: (0..<count).map { label(of: $0, count: count) })
  }

  private func keywords(
    _ outputs: [[Float]], _ ends: [Double], labels: [String]
  ) -> Keywords {
    var keywords = Keywords(
      spotted: [], words: labels.map { Keywords.Word(label: $0, scores: []) },
      hop: Double(hop) / sampleRate, outputs: outputs, ends: ends,
      invalidCount: outputs.joined().count { !$0.isFinite })
    var spotter = KeywordSpotter(options)
    for (output, end) in zip(outputs, ends) { keywords.add(output, at: end, &spotter) }
    return keywords
  }

  private func label(of word: Int, count: Int) -> String {
    if labels.indices.contains(word) { return labels[word] }
    return count == 1 ? output : "\(output)-\(word)"
  }

  /// The scores.
  public var replacedOutputs: Set<String> { [output] }

  /// The members of the result.
  public var resultColumn: ResultColumn.Member? {
    .init(Self.resultName, Keywords.column(of: []))
  }

  /// Overrides the threshold.
  public mutating func apply(_ options: ResultOptions) {
    if let minimumScore = options.minimumScore { self.options.threshold = Double(minimumScore) }
  }

  /// Words of a stream are found across its windows.
  public func makeSmoother() -> (any ResultSmoother)? {
    KeywordStream(
      spotter: KeywordSpotter(options), length: length, hop: hop, sampleRate: sampleRate)
  }

  /// Words are read with their times.
  public static func forms(for description: ModelDescription) -> [ResultForm] { [.keywords] }

  /// Returns how words are read.
  public func reading(as form: ResultForm) -> ResultReading? {
    .keywords(options) { (output) throws(ModelError) in try result(of: output) }
  }
}

extension Keywords {
  /// Adds the scores of a step, and the words that are heard in it.
  mutating func add(_ outputs: [Float], at time: Double, _ spotter: inout KeywordSpotter) {
    let (scores, hits) = spotter.add(outputs, at: time)
    for (index, score) in scores.enumerated() { words[index].scores.append(score) }
    spotted += hits.map {
      Spotted(label: words[$0.word].label, time: $0.time, score: $0.score)
    }
  }
}
