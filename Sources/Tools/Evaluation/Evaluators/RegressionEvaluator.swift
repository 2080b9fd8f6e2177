import TensorIOBundle
import TensorIOCore

/// Evaluates numeric outputs against the correct values.
struct RegressionEvaluator: Evaluator {
  /// The names of the outputs and of the corresponding values of the dataset.
  private let pairs: [(output: String, groundTruth: String)]

  private var metric = RegressionMetric()
  private var samples: [SamplePrediction] = []
  private var items: [RegressionItems.Sums] = []
  /// The first correct number, which is subtracted from all to avoid cancellation.
  private var origin: Double?

  init(_ pairs: [(output: String, groundTruth: String)]) {
    self.pairs = pairs
  }

  /// Returns predicted and correct numbers, alternating.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .values(let values) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    var numbers: [Double] = []
    for (name, valueName) in pairs {
      guard case .numbers(let predicted) = try output[name],
        case .numbers(let correct) = values[valueName]
      else {
        throw ModelError(.output, .unsupported("comparing \(name) with a number"), layer: name)
      }
      guard predicted.count == correct.count else {
        throw ModelError(
          .output, .wrongCount(expected: correct.count, actual: predicted.count), layer: name)
      }
      numbers += zip(predicted.doubles, correct.doubles).flatMap { [$0, $1] }
    }
    return ItemScore(numbers)
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard let pairs = Self.pairs(score), !pairs.isEmpty else { return nil }
    return ItemSummary(
      groundTruth: .numbers(pairs.map(\.correct)), prediction: .numbers(pairs.map(\.predicted)),
      loss: pairs.map { abs($0.predicted - $0.correct) }.mean)
  }

  func itemMetrics() -> [any ItemMetric] { [RegressionItems(items)] }

  /// Returns the predicted and correct numbers of a score; `nil` if it is malformed.
  private static func pairs(_ score: ItemScore) -> [(predicted: Double, correct: Double)]? {
    let numbers = score.values
    guard numbers.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let pairs = Self.pairs(score) else { throw ItemScore.malformed(item) }
    for (predicted, correct) in pairs { metric.add(predicted, groundTruth: correct) }
    origin = origin ?? pairs.first?.correct
    items.append(RegressionItems.Sums(pairs, origin: origin ?? 0))
    addSample(pairs, item)
  }

  /// Keeps the samples with the largest and the smallest errors, since no number is exactly
  /// correct.
  private mutating func addSample(
    _ pairs: [(predicted: Double, correct: Double)], _ item: ItemReference
  ) {
    let loss = pairs.reduce(0) { $0 + abs($1.predicted - $1.correct) }
    let text = { (values: [Double]) in
      values.prefix(4).map { $0.formatted(decimals: 4) }.joined(separator: ", ")
        + (values.count > 4 ? "…" : "")
    }
    samples.append(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: text(pairs.map(\.correct)),
        prediction: text(pairs.map(\.predicted)), isCorrect: false, loss: loss))
    guard samples.count > 4 * SamplePredictions.maxCount else { return }
    samples = extremes
  }

  /// The samples with the smallest and the largest errors, in ascending order.
  private var extremes: [SamplePrediction] {
    let sorted = samples.enumerated()
      .sorted { ($0.element.loss, $0.offset) < ($1.element.loss, $1.offset) }.map(\.element)
    guard sorted.count > 2 * SamplePredictions.maxCount else { return sorted }
    return sorted.prefix(SamplePredictions.maxCount) + sorted.suffix(SamplePredictions.maxCount)
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    let sorted = extremes
    let half = min(SamplePredictions.maxCount, sorted.count / 2)
    result.samples = SamplePredictions(
      worst: Array(sorted.reversed().prefix(min(SamplePredictions.maxCount, sorted.count - half))),
      best: Array(sorted.prefix(half)))
  }
}

/// Averages the numeric outputs of an `eval` mode, such as a loss.
struct OutputMeanEvaluator: Evaluator {
  /// The names of the outputs.
  private let outputs: [String]
  private var means: [[RunningMean]] = []
  /// The values of each item by output.
  private var items: [[[Double]]] = []

  init(outputs: [String]) {
    self.outputs = outputs
  }

  /// Returns, for each output, the number of values followed by the values.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    var numbers: [Double] = []
    for name in outputs {
      let values = try output[name].numericValues
      numbers += [Double(values.count)] + values
    }
    return ItemScore(numbers)
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    let values = try Self.lists(score, item)
    if means.isEmpty { means = values.map { $0.map { _ in RunningMean() } } }
    guard values.count == outputs.count, values.map(\.count) == means.map(\.count) else {
      throw ModelError(
        .output, .wrongCount(expected: means.joined().count, actual: values.joined().count))
    }
    for (output, list) in values.enumerated() {
      for (index, value) in list.enumerated() { means[output][index].add(value) }
    }
    items.append(values)
  }

  func itemMetrics() -> [any ItemMetric] {
    outputs.indices.filter { means.indices.contains($0) && means[$0].count == 1 }.map { output in
      RatioItems(
        outputs[output], unit: .number, direction: .neither, items.map { $0[output][0] })
    }
  }

  private static func lists(
    _ score: ItemScore, _ item: ItemReference
  ) throws(ModelError) -> [[Double]] {
    var rest = score.values[...]
    var lists: [[Double]] = []
    while let first = rest.popFirst() {
      guard let count = Int(exactly: first), count >= 0, count <= rest.count else {
        throw ItemScore.malformed(item)
      }
      lists.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return lists
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += zip(outputs, means).filter { !$1.isEmpty }.map { name, means in
      MetricValue(name, values: means.compactMap(\.value))
    }
  }
}

extension LayerValue {
  /// The numbers or class scores of an output; empty for other values.
  fileprivate var numericValues: [Double] {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .bytes, .strings, .tokens, .image, .audio, .list: []
    }
  }
}
