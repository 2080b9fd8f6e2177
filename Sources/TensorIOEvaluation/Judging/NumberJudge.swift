internal import TensorIOCore

/// Judges numbers by how far they are from the right ones.
struct NumberJudge: Judge {
  /// The outputs, and the values of the data that they should be.
  private let pairs: [(output: String, truth: String)]

  private var metric = NumberMetric()
  private var samples: [SampleAnswer] = []

  init(_ pairs: [(output: String, truth: String)]) {
    self.pairs = pairs
  }

  /// The numbers found and the right ones, by turns.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    guard case .values(let values) = example.truth else {
      throw Judgement.unreadable(example.place)
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
    return Judgement(numbers)
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    let numbers = judgement.numbers
    guard numbers.count.isMultiple(of: 2) else { throw Judgement.unreadable(item) }
    let couples = stride(from: 0, to: numbers.count, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
    for (found, right) in couples { metric.add(found, truth: right) }
    keep(couples, item)
  }

  /// Nothing is right or wrong here; what is farthest off and what is nearest is kept.
  private mutating func keep(_ couples: [(found: Double, right: Double)], _ item: ItemPlace) {
    let loss = couples.reduce(0) { $0 + abs($1.found - $1.right) }
    let text = { (values: [Double]) in
      values.prefix(4).map { $0.fixed(4) }.joined(separator: ", ") + (values.count > 4 ? "…" : "")
    }
    samples.append(
      SampleAnswer(
        name: item.name, picture: item.picture, truth: text(couples.map(\.right)),
        found: text(couples.map(\.found)), isRight: false, loss: loss))
    guard samples.count > 4 * SampleAnswers.limit else { return }
    samples = ends
  }

  /// The nearest and the farthest of those that are kept, by rising distance.
  private var ends: [SampleAnswer] {
    let sorted = samples.enumerated()
      .sorted { ($0.element.loss, $0.offset) < ($1.element.loss, $1.offset) }.map(\.element)
    guard sorted.count > 2 * SampleAnswers.limit else { return sorted }
    return sorted.prefix(SampleAnswers.limit) + sorted.suffix(SampleAnswers.limit)
  }

  func report(into result: inout EvaluationResult) {
    result.figures += metric.figures
    let ends = ends
    let half = min(SampleAnswers.limit, ends.count / 2)
    result.samples = SampleAnswers(
      worst: Array(ends.reversed().prefix(min(SampleAnswers.limit, ends.count - half))),
      best: Array(ends.prefix(half)))
  }
}
