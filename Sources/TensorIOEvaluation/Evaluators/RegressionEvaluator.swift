import TensorIOBundle
import TensorIOCore

/// Judges numbers by how far they are from the right ones.
struct RegressionEvaluator: Evaluator {
  /// The outputs, and the values of the data that they should be.
  private let pairs: [(output: String, truth: String)]

  private var metric = RegressionMetric()
  private var samples: [SamplePrediction] = []

  init(_ pairs: [(output: String, truth: String)]) {
    self.pairs = pairs
  }

  /// The numbers found and the right ones, by turns.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .values(let values) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    var numbers: [Double] = []
    for (name, truth) in pairs {
      guard case .numbers(let found) = try output[name], case .numbers(let right) = values[truth]
      else {
        throw ModelError(.output, .unsupported("comparing \(name) with a number"), layer: name)
      }
      guard found.count == right.count else {
        throw ModelError(
          .output, .wrongCount(expected: right.count, actual: found.count), layer: name)
      }
      numbers += zip(found.doubles, right.doubles).flatMap { [$0, $1] }
    }
    return ItemScore(numbers)
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    let numbers = judgement.values
    guard numbers.count.isMultiple(of: 2) else { throw ItemScore.malformed(item) }
    let couples = stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
    for (found, right) in couples { metric.add(found, groundTruth: right) }
    addSample(couples, item)
  }

  /// Nothing is right or wrong here; what is farthest off and what is nearest is kept.
  private mutating func addSample(_ couples: [(found: Double, right: Double)], _ item: ItemReference) {
    let loss = couples.reduce(0) { $0 + abs($1.found - $1.right) }
    let text = { (values: [Double]) in
      values.prefix(4).map { $0.formatted(decimals: 4) }.joined(separator: ", ") + (values.count > 4 ? "…" : "")
    }
    samples.append(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: text(couples.map(\.right)),
        prediction: text(couples.map(\.found)), isCorrect: false, loss: loss))
    guard samples.count > 4 * SamplePredictions.maxCount else { return }
    samples = extremes
  }

  /// The nearest and the farthest of those that are kept, by rising distance.
  private var extremes: [SamplePrediction] {
    let sorted = samples.enumerated()
      .sorted { ($0.element.loss, $0.offset) < ($1.element.loss, $1.offset) }.map(\.element)
    guard sorted.count > 2 * SamplePredictions.maxCount else { return sorted }
    return sorted.prefix(SamplePredictions.maxCount) + sorted.suffix(SamplePredictions.maxCount)
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    let ends = extremes
    let half = min(SamplePredictions.maxCount, ends.count / 2)
    result.samples = SamplePredictions(
      worst: Array(ends.reversed().prefix(min(SamplePredictions.maxCount, ends.count - half))),
      best: Array(ends.prefix(half)))
  }
}

/// Averages what a model says of itself, such as its loss.
struct OutputMeanEvaluator: Evaluator {
  /// The names of the outputs, in order.
  private let outputs: [String]
  private var means: [[RunningMean]] = []

  init(outputs: [String]) {
    self.outputs = outputs
  }

  /// The count of each output's numbers, and then they.
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

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    let values = try Self.lists(judgement, item)
    if means.isEmpty { means = values.map { $0.map { _ in RunningMean() } } }
    guard values.count == outputs.count, values.map(\.count) == means.map(\.count) else {
      throw ModelError(
        .output, .wrongCount(expected: means.joined().count, actual: values.joined().count))
    }
    for (output, list) in values.enumerated() {
      for (place, value) in list.enumerated() { means[output][place].add(value) }
    }
  }

  private static func lists(
    _ judgement: ItemScore, _ item: ItemReference
  ) throws(ModelError) -> [[Double]] {
    var rest = judgement.values[...]
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
  /// The numbers of an output, be they labelled or not; none where it is something else.
  fileprivate var numericValues: [Double] {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .bytes, .strings, .image, .list: []
    }
  }
}
